/**
 * The archive as a table of Apache Iceberg, by the names of its files under `/v1/archive/iceberg/metadata/`. They are made of the list
 * of the archive's files and of their footers, so that whoever has those can make them again to the byte.
 */
import { Effect } from "effect"
import type { TableIndex } from "../../wire/log/archive.ts"
import { NotFound } from "../../wire/problems/request.ts"
import { catalogs } from "../archive/catalogs.ts"
import { type TableDay, tableDays } from "./days.ts"
import {
  type Group,
  groupAt,
  groupsOf,
  lengthsOf,
  listName,
  manifest,
  manifestList,
  manifestName
} from "./manifests.ts"
import { mostSnapshots, tableMetadata } from "./tableMetadata.ts"

/** Names the newest version; the only file that changes. */
export const hintName = "version-hint.text"

export interface TableFile {
  readonly name: string
  readonly contentType: string
  readonly content: () => string | Uint8Array
}

const json = "application/json"
const avro = "application/vnd.apache.avro"

const upTo = (days: ReadonlyArray<TableDay>, sequence: number): Group | undefined => {
  const [head, ...rest] = days.slice(0, sequence)
  return head === undefined || sequence > days.length ? undefined : [head, ...rest]
}

const metadataFile = (base: string, days: Group): TableFile => ({
  name: `v${days.length}.metadata.json`,
  contentType: json,
  content: () => tableMetadata(base, days)
})

const listFile = (base: string, days: Group, lengthOf: (group: Group) => number): TableFile => ({
  name: listName(days.at(-1) ?? days[0]),
  contentType: avro,
  content: () => manifestList(base, days, lengthOf)
})

const manifestFile = (base: string, group: Group): TableFile => ({
  name: manifestName(group),
  contentType: avro,
  content: () => manifest(base, group)
})

const hintFile = (days: Group): TableFile => ({
  name: hintName,
  contentType: "text/plain; charset=utf-8",
  content: () => String(days.length)
})

const names =
  /^(?:v(?<version>[1-9]\d{0,5})\.metadata\.json|snap-(?<snapshot>[1-9]\d{0,5})\.avro|days-(?<first>[1-9]\d{0,5})-(?<last>[1-9]\d{0,5})\.avro|version-hint\.text)$/

const fileIn = (base: string, days: ReadonlyArray<TableDay>, name: string): TableFile | undefined => {
  const { first, last, snapshot, version } = names.exec(name)?.groups ?? {}
  const all = upTo(days, Number(version ?? snapshot ?? days.length))
  if (all === undefined) return undefined
  if (version !== undefined) return metadataFile(base, all)
  if (snapshot !== undefined) return listFile(base, all, lengthsOf(base))
  if (name === hintName) return hintFile(all)
  const group = groupAt(days, Number(first), Number(last))
  return group && manifestFile(base, group)
}

/** A file of the table, whose addresses begin with `base`, by its name. */
export const tableFile = Effect.fn("Log.tableFile")(function* (base: string, name: string) {
  return (
    fileIn(base, yield* tableDays, name) ??
    (yield* new NotFound({
      message: `The table has no file ${JSON.stringify(name.slice(0, 60))}. /v1/archive/iceberg/metadata/version-hint.text has the number of the newest version, N, which is vN.metadata.json; there is one for each day of the archive.`
    }))
  )
})

/** The newest version of the table: its metadata as JSON. Undefined before the first day. */
export const newestMetadata = Effect.fn("Log.newestMetadata")(function* (base: string) {
  const days = yield* tableDays
  const all = upTo(days, days.length)
  return all && { name: metadataFile(base, all).name, metadata: tableMetadata(base, all) }
})

/** What is in the folder of the table, whose addresses begin with `base`. Fails with `NotFound` before the first day. */
export const tableIndex = Effect.fn("Log.tableIndex")(function* (base: string) {
  const days = yield* tableDays
  const files = newestFiles(base, days)
  const [first, last] = [days[0], days.at(-1)]
  if (files === undefined || first === undefined || last === undefined)
    return yield* new NotFound({ message: "The table has no day yet: /v1/archive/ lists the files of days." })
  const index: TableIndex = {
    location: base + catalogs.iceberg,
    version: days.length,
    first_day: first.day,
    last_day: last.day,
    files: [...files.fixed, files.hint].map(({ name }) => `metadata/${name}`)
  }
  return index
})

/**
 * What a reader of the newest version needs, in the order in which it is to be written: the manifests, the lists of the snapshots
 * that the version has, the version, and the hint. None before the first day.
 */
export const newestFiles = (
  base: string,
  days: ReadonlyArray<TableDay>
): { readonly fixed: ReadonlyArray<TableFile>; readonly hint: TableFile } | undefined => {
  const all = upTo(days, days.length)
  if (all === undefined) return undefined
  const snapshots = days.slice(-mostSnapshots).flatMap(({ sequence }) => {
    const then = upTo(days, sequence)
    return then === undefined ? [] : [then]
  })
  const manifests = new Map(
    snapshots.flatMap(groupsOf).map((group) => [manifestName(group), manifestFile(base, group)])
  )
  const lengthOf = lengthsOf(base)
  const lists = snapshots.map((then) => listFile(base, then, lengthOf))
  return {
    fixed: [...manifests.values(), ...lists, metadataFile(base, all)],
    hint: hintFile(all)
  }
}
