/**
 * Rows that are handed on in bulk: tables, exports and webhooks. Where a source does not let its values be handed on, the row stays
 * without them, and `withheld` says why.
 */
import { Effect } from "effect"
import { isRecord } from "../../proof/canonical.ts"
import type { Row } from "../csv.ts"
import { Feeds } from "../Feeds.ts"
import { usable } from "./rights.ts"

/** The column, and what it says. */
export const withheldColumn = "withheld"
export const withheldReason = "rights"

/** Columns from which no value can be told. Every other one is emptied, so that one that is added later gives nothing away. */
const names =
  /^(symbol|name|title|metric|kind|tier|category|unit|source|licence|attribution|date|at|as_of|as_known_at|absent|id|run|rule|feed|open|closed|simulated|unconfirmed|reviewed|version|rank|change_pct|telemetry_tier|freshness|state|family|rung|from|to|method|derived_from)$|^n_|_(at|date|as_of|url|source)$/

export interface Bulk {
  /** Whether the values of a source may be handed on. */
  readonly may: (source: string) => boolean
  /** The columns of a table, with one more where this service withholds anything. */
  readonly columns: (columns: ReadonlyArray<string>) => ReadonlyArray<string>
  /** The row as it is handed on. One that names no source is of this service. */
  readonly row: (row: Row) => Row
}

/** The source of each column that has one of its own, as rows of several figures name them. */
const sourcesOfColumns = ({ field_sources }: Row): ReadonlyMap<string, string> =>
  typeof field_sources === "object" && field_sources !== null
    ? new Map(
        Object.entries(field_sources).flatMap(([field, of]: [string, unknown]) =>
          typeof of === "object" && of !== null && "source" in of && typeof of.source === "string"
            ? [[field, of.source] as const]
            : []
        )
      )
    : new Map()

/** The rows in a member, such as those of a document. */
const within = (member: unknown, may: Bulk["may"]): unknown =>
  Array.isArray(member)
    ? member.map((one: unknown) => within(one, may))
    : isRecord(member)
      ? rowWithout(member, may)
      : member

const rowWithout = (row: Row, may: Bulk["may"]): Row => {
  const { source } = row
  if (typeof source !== "string")
    return Object.fromEntries(Object.entries(row).map(([name, member]) => [name, within(member, may)]))
  const others = sourcesOfColumns(row)
  if (may(source) && others.values().every(may)) return row
  let isWithheld = false
  const members = Object.entries(row).map(([name, value]) => {
    if (value === undefined || value === null || name === "field_sources" || names.test(name))
      return [name, value] as const
    if (may(others.get(name) ?? source)) return [name, value] as const
    isWithheld = true
    return [name, null] as const
  })
  return isWithheld ? { ...Object.fromEntries(members), [withheldColumn]: withheldReason } : row
}

/** What is handed on in bulk today. */
export const bulk = Effect.gen(function* (): Effect.fn.Return<Bulk, never, Feeds> {
  const may = yield* usable("bulk")
  const { manifests } = yield* Feeds
  const withholds = manifests.some(({ source }) => !may(source))
  return {
    may,
    columns: (columns) => (withholds ? [...columns, withheldColumn] : columns),
    row: withholds ? (row) => rowWithout(row, may) : (row) => row
  }
})
