/** Which closed values are to be judged, and what they are judged by: leaves alone, so that a stranger has the same. */
import { Effect, Predicate, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { bySymbol } from "../../catalog/Catalog.ts"
import { type Manifest, metricNamed } from "../../plugin/Manifest.ts"
import { isNeverFalling } from "../../plugin/relations.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { manyRowsOf, rowsOf } from "../../sql/rows.ts"
import { ints, texts } from "../ingest/arrays.ts"
import { definedDay } from "../read/byDefinition.ts"
import { dateOf } from "../read/days.ts"
import { dayHolds } from "../read/differing.ts"
import { type JudgedSeries, reach } from "./series.ts"

/** A service that never judged begins with so many closed days, and a revision of a day that is older than that is not judged. */
const daysBack = 7

const batchRows = rowsOf({ id: Schema.Int, day: Schema.String })

/** The batches that were closed after one, oldest first: those of the last days. */
export const batchesAfter = Effect.fnUntraced(function* (batch: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select id, day::text as day from batch
    where closed_at is not null and id > ${batch}
      and day > (select max(day) from batch where closed_at is not null) - ${daysBack}::int
    order by id`.pipe(batchRows)
})

/** A value to judge. */
export interface Due {
  readonly series: number
  readonly day: string
}

const dueRows = manyRowsOf({ series: Predicate.isNumber, day: Predicate.isString })

/** The values of these batches' leaves, each once. */
export const dueIn = Effect.fnUntraced(function* (batches: ReadonlyArray<number>, newestDay: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select distinct series, day::text as day from leaf
    where batch = any(${ints(batches)}) and series is not null and day > ${newestDay}::date - ${daysBack}::int`.pipe(
    dueRows
  )
})

/** Those of some values whose rows say what their leaves say: a row that was changed behind the service's back is not judged. */
export const asSealed = Effect.fnUntraced(function* (
  values: ReadonlyArray<Due & { readonly version: number }>
) {
  if (values.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select d.series, d.day::text as day
    from unnest(${ints(values.map(({ series }) => series))}, ${texts(values.map(({ day }) => day))},
      ${ints(values.map(({ version }) => version))}) as t(series, day, version)
      join daily d on d.series = t.series and d.day = t.day::date and d.incident = 0 and d.version = t.version
    where ${yield* dayHolds}`.pipe(dueRows)
})

const seriesRows = manyRowsOf({
  id: Predicate.isNumber,
  symbol: Predicate.isString,
  metric: Predicate.isString,
  source: Predicate.isString,
  plugin: Predicate.isString,
  unit: Predicate.isString
})

/** A series without its days. */
export type Named = Omit<JudgedSeries, "days"> & { readonly id: number }

/** Every series, by its metric, with what its manifest says. */
export const seriesByMetric = Effect.fnUntraced(function* (manifests: ReadonlyArray<Manifest>) {
  const sql = yield* SqlClient.SqlClient
  const byId = new Map(manifests.map((manifest) => [manifest.id, manifest]))
  const rows = yield* sql`select id, symbol, metric, source, plugin, unit from series order by id`.pipe(
    seriesRows
  )
  const named = rows.map(({ plugin, ...row }): Named => {
    const manifest = byId.get(plugin)
    const metric = metricNamed(manifest?.metrics ?? {}, row.metric)
    const covers = manifest?.covers
    return {
      ...row,
      category:
        bySymbol.get(row.symbol)?.category ??
        (covers !== undefined && "sector" in covers ? covers.sector : undefined),
      neverFalls: isNeverFalling(manifest?.relations, row.metric),
      mayBeZero: metric?.collapse === 1,
      mayJump: metric?.mayJump !== undefined
    }
  })
  return Map.groupBy(named, ({ metric }) => metric)
})

const dayRows = manyRowsOf({
  series: Predicate.isNumber,
  date: Predicate.isString,
  version: Predicate.isNumber,
  value: Predicate.isNumber,
  value_text: Predicate.or(Predicate.isString, Predicate.isNull)
})

/** A day as it is sealed. */
export type SealedDay = Effect.Success<ReturnType<typeof sealedDays>>[number]

/** The values of some series, as batches up to one sealed them, that a judgement of the days `first` to `last` may look at. */
export const sealedDays = Effect.fnUntraced(function* (
  ids: ReadonlyArray<number>,
  { batch, first, last }: { readonly batch: number; readonly first: string; readonly last: string }
) {
  const sql = yield* SqlClient.SqlClient
  const from = dateOf(Date.parse(first) - reach * dayMs)
  return yield* sql`
    select s.id as series, d.date, d.version, d.value, d.value_text
    from unnest(${ints(ids)}) as s(id) cross join lateral (
      select distinct on (day) series, day::text as date, day, version, value, value_text, n_observations from daily
      where series = s.id and day between ${from}::date and ${last}::date and incident = 0 and sealed_by <= ${batch}
      order by day, version desc
    ) d
    where d.n_observations > 0 and ${sql.literal(definedDay)} is null order by series, d.day`.pipe(dayRows)
})
