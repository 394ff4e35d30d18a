/**
 * The Avro files of the table (https://iceberg.apache.org/spec/#manifests): a manifest of each day; one of all days of a month or
 * year that was over, so that a snapshot needs few of them; and the list of the manifests of each snapshot.
 */
import { day as dayMs } from "../../plugin/time.ts"
import { archivePath, tablePath } from "../../proof/archive.ts"
import { avroWriter } from "./avro.ts"
import type { Bounds } from "./bounds.ts"
import type { TableDay } from "./days.ts"
import { fieldId, partitionFields, schemaOf } from "./schema.ts"

/** Readers go by days: `FOR VERSION AS OF 20260903`. */
export const snapshotId = ({ day }: TableDay): number => Number(day.replaceAll("-", ""))

export const fileAt = (base: string, name: string): string => `${base}${tablePath}/metadata/${name}`

export const listName = ({ sequence }: TableDay): string => `snap-${sequence}.avro`

/** Days that are together in a manifest, in the order of the log. */
export type Group = readonly [TableDay, ...ReadonlyArray<TableDay>]

const lastOf = (group: Group): TableDay => group.at(-1) ?? group[0]

export const manifestName = (group: Group): string =>
  `days-${group[0].sequence}-${lastOf(group).sequence}.avro`

/** Letters of a day that are its year, and its year and month. */
const [ofYear, ofMonth] = [4, 7]

/** The groups of a snapshot: the years that are over, the months of the last year that are, and the days of the last month. */
export const groupsOf = (days: ReadonlyArray<TableDay>): ReadonlyArray<Group> => {
  const latest =
    days
      .map(({ day }) => day)
      .sort()
      .at(-1) ?? ""
  const groups: Array<[TableDay, ...Array<TableDay>]> = []
  let key: string | undefined
  for (const each of days) {
    const length = [ofYear, ofMonth].find((size) => each.day.slice(0, size) < latest.slice(0, size))
    const own = each.day.slice(0, length)
    if (own === key) groups.at(-1)?.push(each)
    else groups.push([each])
    key = own
  }
  return groups
}

/** The group of days `first` to `last`, if it is a manifest of some snapshot. */
export const groupAt = (days: ReadonlyArray<TableDay>, first: number, last: number): Group | undefined => {
  const [head, ...rest] = days.slice(first - 1, last)
  if (head === undefined || rest.length !== last - first) return undefined
  const [before, after] = [days[first - 2], days[last]]
  const isWith = (day: TableDay | undefined, size: number) =>
    day?.day.slice(0, size) === head.day.slice(0, size)
  const isWhole = (size: number): boolean =>
    rest.every((day) => isWith(day, size)) && !isWith(before, size) && !isWith(after, size)
  // The last month of a year is put together with its year at once.
  const isOver = isWith(after, ofYear) ? isWhole(ofMonth) : after !== undefined && isWhole(ofYear)
  return rest.length === 0 || isOver ? [head, ...rest] : undefined
}

const optional = (type: unknown) => ["null", type]
const field = (id: number, name: string, type: unknown) => ({
  name,
  type,
  ...(Array.isArray(type) ? { default: null } : {}),
  "field-id": id
})

/** A map from the ids of columns, as a list of pairs: the keys of a map of Avro are texts. */
const byColumn = (key: number, value: number) =>
  optional({
    type: "array",
    logicalType: "map",
    items: {
      type: "record",
      name: `k${key}_v${value}`,
      fields: [field(key, "key", "int"), field(value, "value", "bytes")]
    }
  })

const dataFile = {
  type: "record",
  name: "r2",
  fields: [
    field(134, "content", "int"),
    field(100, "file_path", "string"),
    field(101, "file_format", "string"),
    field(102, "partition", { type: "record", name: "r102", fields: [] }),
    field(103, "record_count", "long"),
    field(104, "file_size_in_bytes", "long"),
    field(125, "lower_bounds", byColumn(126, 127)),
    field(128, "upper_bounds", byColumn(129, 130)),
    field(140, "sort_order_id", optional("int"))
  ]
}

const manifestFile = avroWriter({
  type: "record",
  name: "manifest_entry",
  fields: [
    field(0, "status", "int"),
    field(1, "snapshot_id", optional("long")),
    field(3, "sequence_number", optional("long")),
    field(4, "file_sequence_number", optional("long")),
    field(2, "data_file", dataFile)
  ]
})

const listFile = avroWriter({
  type: "record",
  name: "manifest_file",
  fields: [
    field(500, "manifest_path", "string"),
    field(501, "manifest_length", "long"),
    field(502, "partition_spec_id", "int"),
    field(517, "content", "int"),
    field(515, "sequence_number", "long"),
    field(516, "min_sequence_number", "long"),
    field(503, "added_snapshot_id", "long"),
    field(504, "added_files_count", "int"),
    field(505, "existing_files_count", "int"),
    field(506, "deleted_files_count", "int"),
    field(512, "added_rows_count", "long"),
    field(513, "existing_rows_count", "long"),
    field(514, "deleted_rows_count", "long")
  ]
})

/** https://iceberg.apache.org/spec/#binary-single-value-serialization: days in 4 bytes, microseconds in 8, little-endian. */
const serialized = (name: keyof Bounds, at: number): Uint8Array => {
  const view = new DataView(new ArrayBuffer(name === "day" ? 4 : 8))
  if (name === "day") view.setInt32(0, at / dayMs, true)
  else view.setBigInt64(0, BigInt(at) * 1000n, true)
  return Buffer.from(view.buffer)
}

const boundsAt = ({ bounds }: TableDay, end: 0 | 1) =>
  (["day", "as_of", "recorded_at"] as const).flatMap((name) => {
    const range = bounds[name]
    return range === undefined ? [] : [{ key: fieldId(name), value: serialized(name, range[end]) }]
  })

const [existing, added] = [0, 1]

/** A manifest with several days was written again of theirs; that of a single day is from its own snapshot. */
const isMerged = (group: Group): boolean => group.length > 1

/** The bytes of a manifest. */
export const manifest = (base: string, group: Group): Uint8Array => {
  const { schema } = lastOf(group)
  return manifestFile(
    {
      schema: JSON.stringify(schemaOf(schema)),
      "schema-id": String(schema),
      "partition-spec": JSON.stringify(partitionFields),
      "partition-spec-id": "0",
      "format-version": "2",
      content: "data"
    },
    group.map((day) => ({
      status: isMerged(group) ? existing : added,
      snapshot_id: snapshotId(day),
      sequence_number: day.sequence,
      file_sequence_number: day.sequence,
      data_file: {
        content: 0,
        file_path: `${base}${archivePath}/${day.name}`,
        file_format: "PARQUET",
        partition: {},
        record_count: day.rows,
        file_size_in_bytes: day.bytes,
        lower_bounds: boundsAt(day, 0),
        upper_bounds: boundsAt(day, 1),
        sort_order_id: 0
      }
    }))
  )
}

const sum = (group: Group): number => group.reduce((all, { rows }) => all + rows, 0)

/** The bytes of a manifest, counted once where many lists name it. */
export const lengthsOf = (base: string): ((group: Group) => number) => {
  const lengths = new Map<string, number>()
  return (group) => {
    const name = manifestName(group)
    const length = lengths.get(name) ?? manifest(base, group).length
    lengths.set(name, length)
    return length
  }
}

/** The bytes of the list of manifests of the snapshot after these days. */
export const manifestList = (base: string, days: Group, lengthOf: (group: Group) => number): Uint8Array => {
  const snapshot = lastOf(days)
  const parent = days.at(-2)
  return listFile(
    {
      "snapshot-id": String(snapshotId(snapshot)),
      "parent-snapshot-id": parent === undefined ? "null" : String(snapshotId(parent)),
      "sequence-number": String(snapshot.sequence),
      "format-version": "2"
    },
    groupsOf(days).map((group) => {
      // One of several days is written with the snapshot that comes next.
      const writer = isMerged(group) ? (days[lastOf(group).sequence] ?? snapshot) : group[0]
      const [files, rows] = [group.length, sum(group)]
      const [old, fresh] = isMerged(group) ? [1, 0] : [0, 1]
      return {
        manifest_path: fileAt(base, manifestName(group)),
        manifest_length: lengthOf(group),
        partition_spec_id: 0,
        content: 0,
        sequence_number: writer.sequence,
        min_sequence_number: group[0].sequence,
        added_snapshot_id: snapshotId(writer),
        added_files_count: fresh * files,
        existing_files_count: old * files,
        deleted_files_count: 0,
        added_rows_count: fresh * rows,
        existing_rows_count: old * rows,
        deleted_rows_count: 0
      }
    })
  )
}
