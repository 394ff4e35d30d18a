/** What the batches published of a day of a series, as it is stored. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import { equalBytes, fromHex, utf8 } from "../../proof/bytes.ts"
import { parseLeaf, type RowLeaf } from "../../proof/leaf.ts"
import { leafHash, verifyInclusion } from "../../proof/merkle.ts"
import { excludedBy } from "../../readings/read/excluded.ts"
import { dayOf, knownSymbol } from "../../readings/read/parameters.ts"
import { pickSource } from "../../readings/read/pickSource.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Excluded } from "../../wire/log/attest.ts"
import { NotAttested } from "../../wire/problems/request.ts"
import type { ServedHead } from "../heads.ts"
import { sha256 } from "../leaves.ts"
import { pathColumn, pathFrom } from "../storedPath.ts"
import { anchorFields, bestAnchor } from "./anchor.ts"
import { readingsColumn, StoredReadings } from "./dayReadings.ts"
import { notAttested, type ValueName } from "./notAttested.ts"
import { headColumn, StoredHead } from "./underHead.ts"

const LeafRow = Schema.Struct({
  series: Schema.Int,
  source: Schema.String,
  incident: Schema.Int,
  value: Schema.Finite,
  as_of: Schema.Date,
  version: Schema.Int,
  text: Schema.String,
  hash: Schema.Uint8Array,
  place: Schema.Int,
  batch: Schema.Int,
  batch_day: Schema.String,
  tree_size: Schema.Int,
  root: Schema.String,
  log_index: Schema.Int,
  entry: Schema.String,
  path: Schema.Array(Schema.String),
  excluded_by: Schema.NullOr(Schema.Int),
  excluded_reason: Schema.NullOr(Schema.String),
  excluded_at: Schema.NullOr(Schema.Date),
  /** What a bundle holds besides; null where it is not wanted. */
  whole: Schema.NullOr(Schema.Struct({ head: StoredHead, readings: StoredReadings })),
  ...anchorFields
})
const leafRows = rowsOf(LeafRow.fields)

/** The requested value; `date` is `YYYYMMDD` or `YYYY-MM-DD`. Without `source`, the service picks one (`pickSource`). */
export interface AttestParams {
  readonly symbol: string
  readonly metric: string
  readonly date: string
  readonly source?: string | undefined
}

/** The value that is asked for. Fails with `BadParameter` and `UnknownSymbol`. */
export const valueNameOf = Effect.fnUntraced(function* ({ date, metric, source, symbol }: AttestParams) {
  const day = yield* dayOf("date", date)
  return { symbol: yield* knownSymbol("symbol", symbol), metric, source, day } satisfies ValueName
})

/**
 * What the batches published of a day, with the path to the batch's root, the anchor, and the open incident that excludes
 * the value now, else the one that excluded it when it was published. Batches that the head does not have yet do not count.
 * The `whole` of it has the day's readings, too, and what proves the entry under that head. All of it in one statement, so a batch that closes meanwhile cannot come between its parts.
 */
export const publishedDay = Effect.fn("Log.publishedDay")(function* (
  valueName: ValueName,
  head: Pick<ServedHead, "size" | "state">,
  parts: "value" | "whole"
) {
  const sql = yield* SqlClient.SqlClient
  const { day, metric, source, symbol } = valueName
  const excluded = excludedBy(sql, {
    series: sql`l.series`,
    incident: sql`l.incident`,
    as_of: sql`d.as_of`,
    value: sql`d.value`
  })
  const whole =
    parts === "value"
      ? sql`null::json`
      : sql`case when row_number() over of_source = 1 then
          json_build_object('head', ${yield* headColumn({ head })}, 'readings', ${readingsColumn(sql)}) end`
  // Of a source, leaves of excluded readings come last: they answer only where nothing else was published.
  const rows = yield* sql`
    select s.id as series, s.source, l.incident, d.value, d.as_of, l.version, l.text, l.hash, l.place, l.batch,
      b.day::text as batch_day, b.tree_size, b.root, b.log_index, e.text as entry, ${pathColumn(sql)} as path,
      x.id as excluded_by, x.reason as excluded_reason, x.opened_at as excluded_at, ${whole} as whole, anchored.*
    from series s join leaf l on l.series = s.id and l.day = ${day}::date
      join daily d on d.series = l.series and d.day = l.day and d.incident = l.incident and d.version = l.version
      join batch b on b.id = l.batch and b.log_index < ${head.size}::int join log_entry e on e.place = b.log_index
      cross join lateral ${bestAnchor(sql, sql`b.log_index`, head.size)} anchored
      left join lateral ${excluded} x on true
    where s.symbol = ${symbol} and s.metric = ${metric} and (${source ?? null}::text is null or s.source = ${source ?? null})
    window of_source as (partition by s.source order by l.incident > 0, l.version desc, l.incident desc)
    order by s.source, row_number() over of_source limit 500`.pipe(leafRows)
  const newest = [...Map.groupBy(rows, ({ source }) => source).values()].flatMap(([first]) => first ?? [])
  const leaf = pickSource(
    symbol,
    metric,
    newest.map((row) => ({ ...row, asOf: row.as_of.getTime() }))
  )
  if (leaf === undefined) return yield* notAttested(valueName, head)
  const path = yield* pathFrom(leaf)
  const row = publishedLeaf(leaf, path, valueName)
  if (row === undefined) return yield* altered(valueName)
  const versions = rows.filter((row) => row.series === leaf.series && row.incident === leaf.incident)
  if (!versions.every(isWhole)) return yield* altered(valueName)
  return {
    leaf,
    row,
    path,
    versions,
    excluded: excludedFrom(leaf)
  }
})

const isWhole = ({ hash, text }: { readonly hash: Uint8Array; readonly text: string }): boolean =>
  equalBytes(leafHash(utf8(text), sha256), hash)

/** The leaf of this value, if the batch's root commits to it. */
const publishedLeaf = (
  leaf: (typeof LeafRow)["Type"],
  path: ReadonlyArray<string>,
  { day, metric, symbol }: ValueName
): RowLeaf | undefined => {
  const isPublished =
    isWhole(leaf) &&
    verifyInclusion({
      leaf: leaf.hash,
      index: leaf.place,
      size: leaf.tree_size,
      path: path.map((node) => fromHex(node, 32)),
      root: fromHex(leaf.root, 32)
    })
  if (!isPublished) return undefined
  // What a batch commits to was valid.
  const row = parseLeaf(leaf.text)
  return row.kind !== "absent" && row.symbol === symbol && row.metric === metric && row.day === day
    ? row
    : undefined
}

const altered = Effect.fnUntraced(function* ({ day, metric, symbol }: ValueName) {
  const message = `The stored leaf of ${metric} of ${symbol} on ${day} is not the one that the batch published, so it is not shown. The published one is in every copy of the log made before; the operator sees the difference on /readyz.`
  return yield* new NotAttested({ reason: "altered", message })
})

const excludedFrom = ({
  excluded_at: at,
  excluded_by: incident,
  excluded_reason: reason
}: {
  readonly excluded_by: number | null
  readonly excluded_reason: string | null
  readonly excluded_at: Date | null
}): Excluded | undefined =>
  incident === null || reason === null || at === null
    ? undefined
    : { incident, reason, opened_at: isoTime(at.getTime()) }
