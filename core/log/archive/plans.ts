/** What the files of days, months and years hold: their statements, and their leaves page by page. */
import { Array as Arr, Effect, Option, Schema, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day as dayMs } from "../../plugin/time.ts"
import { archiveTag, type FileStatement, type Period } from "../../proof/archive.ts"
import { tagged } from "../../proof/leaf.ts"
import { ints } from "../../readings/ingest/arrays.ts"
import { rowsOf } from "../../sql/rows.ts"
import { LogKey } from "../Log.ts"
import type { FilePlan } from "./FileMaker.ts"

/** Leaves of one statement. */
const pageRows = 4000

/** A closed batch and its day. */
const Batch = Schema.Struct({ id: Schema.Int, day: Schema.String })
export const batchRows = rowsOf(Batch.fields)
const leafRows = rowsOf({
  place: Schema.Int,
  text: Schema.String,
  hash: Schema.Uint8Array,
  row: Schema.Boolean
})
const absenceRows = rowsOf({ text: Schema.String })
const sourceRows = rowsOf({ name: Schema.String, sha256: Schema.String })
const idRows = rowsOf({ id: Schema.Int })
const sealedRows = rowsOf({ series: Schema.Int, text: Schema.String, hash: Schema.Uint8Array })

/** A file to make, and the batches that its leaves are of, by day. */
export interface Plan extends FilePlan {
  readonly batches: readonly [typeof Batch.Type, ...ReadonlyArray<typeof Batch.Type>]
}

const statementOf = (
  period: Period,
  [first_day, last_day]: readonly [string, string],
  rest: Pick<FileStatement, "absence" | "sources">,
  simulated: boolean
): FileStatement => ({
  v: tagged(archiveTag, simulated),
  period,
  first_day,
  last_day,
  ...rest,
  ...(simulated ? { simulated: true } : {})
})

/** The plan of a day, from its batch. */
export const dayPlan = Effect.fnUntraced(function* (batch: typeof Batch.Type) {
  const sql = yield* SqlClient.SqlClient
  const { simulated } = yield* LogKey
  const { day, id } = batch
  const [absence] = yield* sql`
    select text from leaf where batch = ${id} and series is null`.pipe(absenceRows)
  return {
    statement: statementOf("day", [day, day], { absence: absence?.text ?? "" }, simulated),
    batches: [batch],
    pages: Stream.paginate(-1, (after) =>
      Effect.map(
        sql`
          select place, text, hash, series is not null as row from leaf
          where batch = ${id} and place > ${after} order by place limit ${pageRows}`.pipe(leafRows),
        (page) =>
          [
            [page.filter(({ row }) => row)],
            page.length < pageRows ? Option.none() : Option.fromNullishOr(page.at(-1)?.place)
          ] as const
      )
    )
  } satisfies Plan
})

/** The plan of the month or year of a day, from the files of its days or months. */
export const compactPlan = Effect.fnUntraced(function* (period: "month" | "year", day: string) {
  const sql = yield* SqlClient.SqlClient
  const { simulated } = yield* LogKey
  const [first, ...rest] = yield* sql`
    select id, day::text as day from batch
    where date_trunc(${period}::text, day::timestamp) = date_trunc(${period}::text, ${day}::date::timestamp) order by day`.pipe(
    batchRows
  )
  if (first === undefined) return yield* Effect.die(`no batch of the ${period} of ${day}`)
  const batches = [first, ...rest] as const
  const last = rest.at(-1) ?? first
  const ids = batches.map(({ id }) => id)
  const [least, most] = [Math.min(...ids), Math.max(...ids)]
  const sources = yield* sql`
    select name, sha256 from archive_file where period = ${period === "month" ? "day" : "month"}
      and first_day between ${first.day}::date and ${last.day}::date order by first_day`.pipe(sourceRows)
  const late = yield* sql`
    select series, text, hash from leaf where batch between ${least} and ${most}
      and series is not null and day < ${first.day}::date
    order by series, day, incident, version`.pipe(sealedRows)
  const lateOf = Map.groupBy(late, ({ series }) => series)
  const series = yield* sql`
    select id from series order by metric collate "C", symbol collate "C", source collate "C"`.pipe(idRows)
  const days = (Date.parse(last.day) - Date.parse(first.day)) / dayMs + 1
  const chunks = Arr.chunksOf(
    series.map(({ id }) => id),
    Math.max(1, Math.floor(pageRows / days))
  )
  return {
    statement: statementOf(period, [first.day, last.day], { sources }, simulated),
    batches,
    // Its days are read series by series: without statistics, as in the embedded engine, the planner would read all
    // leaves of the period for each chunk, and hold everybody else up for seconds.
    pages: Stream.fromIterable(chunks).pipe(
      Stream.mapEffect((ids) =>
        sql`
          select l.series, l.text, l.hash from unnest(${ints(ids)}) with ordinality as s(id, n)
            cross join lateral (
              select * from leaf where series = s.id and day between ${first.day}::date and ${last.day}::date
              offset 0
            ) l
          where l.batch between ${least} and ${most}
          order by s.n, l.day, l.incident, l.version`.pipe(
          sealedRows,
          Effect.map((sealedRows) => {
            const bySeries = Map.groupBy(sealedRows, ({ series }) => series)
            return ids.flatMap((id) => [...(lateOf.get(id) ?? []), ...(bySeries.get(id) ?? [])])
          })
        )
      )
    )
  } satisfies Plan
})
