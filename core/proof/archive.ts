/**
 * The archive's Parquet files: their names, their columns, and the leaves that the rows of a day's file are. Which library
 * reads or writes Parquet is not this module's business.
 */
import { fromHex, Malformed, toHex } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { checkTag, leafTag, type RowLeaf, type Tag, tagged } from "./leaf.ts"
import * as s from "./shape.ts"

/** Where a service serves the files, from the top of the site. */
export const archivePath = "/v1/archive"

/** Where the files of days are a table of Apache Iceberg, under the address of the service or of a copy. */
export const tablePath = `${archivePath}/iceberg`

export const archiveTag = "service-archive-v1"

/** The kind of a log entry whose `sha256` is of an archive file, and whose subject is its name. */
export const archiveKind = "archive"

export const periods = ["day", "month", "year"] as const
export type Period = (typeof periods)[number]

/** The name of the file of a day, or of the month or the year that has the day. */
export const fileName = (period: Period, day: string): string => {
  const [year, month, date] = day.split("-")
  switch (period) {
    case "day":
      return `daily/${year}/${month}/${date}.parquet`
    case "month":
      return `monthly/${year}/${month}.parquet`
    case "year":
      return `yearly/${year}.parquet`
  }
}

export interface Column {
  readonly name: string
  /** `time`: milliseconds since 1970; `hash`: 32 bytes. */
  readonly type: "boolean" | "date" | "double" | "hash" | "integer" | "text" | "time"
  readonly optional?: true
}

/** The columns of a day's file, in order. */
export const dayColumns = [
  { name: "day", type: "date" },
  { name: "symbol", type: "text" },
  { name: "metric", type: "text" },
  { name: "source", type: "text" },
  { name: "unit", type: "text" },
  { name: "value", type: "double" },
  { name: "value_text", type: "text", optional: true },
  { name: "as_of", type: "time" },
  { name: "n_observations", type: "integer" },
  { name: "verify_url", type: "text" },
  { name: "kind", type: "text" },
  { name: "version", type: "integer" },
  { name: "excluded_by", type: "integer", optional: true },
  { name: "recorded_at", type: "time" },
  { name: "simulated", type: "boolean" },
  { name: "readings_sha256", type: "hash" },
  { name: "follows", type: "hash", optional: true },
  { name: "leaf_hash", type: "hash" },
  { name: "licence", type: "text", optional: true }
] as const satisfies ReadonlyArray<Column>

/** The columns of the file of a month or year: those of a day's file without the hashes. */
export const compactColumns = dayColumns.filter(({ type }) => type !== "hash")

export const columnsOf = (period: Period): ReadonlyArray<Column> =>
  period === "day" ? dayColumns : compactColumns

type Cell = boolean | Date | number | string | Uint8Array | null

/** A row of a day's file, as Parquet libraries give it. */
export type Row = { readonly [Name in (typeof dayColumns)[number]["name"]]: Cell }

/** The row of a leaf, its hash, and what may be done with values of its source, which no leaf states. */
export const rowOf = (leaf: RowLeaf, leafHash: Uint8Array, licence: string | null): Row => ({
  day: new Date(leaf.day),
  symbol: leaf.symbol,
  metric: leaf.metric,
  source: leaf.source,
  unit: leaf.unit,
  value: leaf.value,
  value_text: leaf.value_text ?? null,
  as_of: new Date(leaf.as_of),
  n_observations: leaf.n_observations,
  verify_url: leaf.verify_url,
  kind: leaf.kind,
  version: leaf.version,
  excluded_by: leaf.excluded_by ?? null,
  recorded_at: new Date(leaf.recorded_at),
  simulated: leaf.simulated === true,
  readings_sha256: fromHex(leaf.readings_sha256, 32),
  follows: leaf.follows === undefined ? null : fromHex(leaf.follows, 32),
  leaf_hash: leafHash,
  licence
})

const time = (cell: unknown): unknown =>
  cell instanceof Date ? cell.toISOString().replace(".000Z", "Z") : cell
const hex = (cell: unknown): unknown => (cell instanceof Uint8Array ? toHex(cell) : cell)
const optionalCell = (name: string, cell: unknown) =>
  cell === null || cell === undefined ? {} : { [name]: cell }

/** The leaf of a row, as canonical JSON. Whether it is a valid leaf is for `parseLeaf` to say. Throws `Malformed`. */
export const leafTextOf = (row: Readonly<Record<string, unknown>>): string => {
  const simulated = row["simulated"] === true
  return canonical({
    v: tagged(leafTag, simulated),
    kind: row["kind"],
    symbol: row["symbol"],
    metric: row["metric"],
    source: row["source"],
    unit: row["unit"],
    day: String(time(row["day"])).slice(0, 10),
    as_of: time(row["as_of"]),
    value: row["value"],
    ...optionalCell("value_text", row["value_text"]),
    n_observations: row["n_observations"],
    readings_sha256: hex(row["readings_sha256"]),
    verify_url: row["verify_url"],
    version: row["version"],
    ...optionalCell("follows", hex(row["follows"])),
    ...optionalCell("excluded_by", row["excluded_by"]),
    recorded_at: time(row["recorded_at"]),
    ...(simulated ? { simulated } : {})
  })
}

/** The key of a file's statement about itself, in its Parquet metadata. */
export const metadataKey = "plumbline"

/**
 * The key of what its makers knew of the sources' terms, in its Parquet metadata: JSON, an object by label of the source with
 * `licence` and `attribution`. Files from before it was there have neither the key nor the column `licence`.
 */
export const rightsKey = "plumbline_rights"

export type FileRights = Readonly<Record<string, { readonly licence: string; readonly attribution: string }>>

/** What a file says of itself. */
export interface FileStatement {
  readonly v: Tag<"service-archive-v1">
  readonly period: Period
  /** The days whose batches it holds, both included. */
  readonly first_day: string
  readonly last_day: string
  /** A day's file: its absence leaf, the batch's last one, which has no row. */
  readonly absence?: string
  /** The files that have the same rows, with hashes. Of a month the days, of a year the months; in order. */
  readonly sources?: ReadonlyArray<FileSource>
  readonly simulated?: true
}

export interface FileSource {
  readonly name: string
  readonly sha256: string
}

const sourceShape: s.Shape<FileSource> = { name: s.name, sha256: s.hash }

const statementShape: s.Shape<FileStatement> = {
  v: s.oneOf<Tag<"service-archive-v1">>(archiveTag, `${archiveTag}-demo`),
  period: s.oneOf(...periods),
  first_day: s.day,
  last_day: s.day,
  absence: s.optional(s.name),
  sources: s.optional(s.listOf(s.nested("a source", sourceShape))),
  simulated: s.optional(s.trueOrAbsent)
}

export const statementText = (statement: FileStatement): string => canonical(statement)

/** Throws `Malformed`. */
export const parseStatement = (text: string): FileStatement => {
  const statement = s.readShape("an archive file's statement", parseCanonical(text), statementShape)
  checkTag(statement, archiveTag)
  if ((statement.period === "day") !== (statement.absence !== undefined))
    throw new Malformed("the file of a day must have `absence`, and no other may")
  if ((statement.period === "day") !== (statement.sources === undefined))
    throw new Malformed("the file of a month or year must have `sources`, and that of a day must not")
  return statement
}
