/**
 * Judges closed values: each leaf of a batch once the batch is closed, and a revised value again in its new version. A finding is of
 * the leaves alone, in the versions that were the newest when it was judged; a revision of its baseline does not change it.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { providing } from "../../process/providing.ts"
import { storedFact, storeFact, storeFirstFacts } from "../../sql/keyValue.ts"
import { Changes } from "../Changes.ts"
import type { DatedValue } from "../change.ts"
import { Feeds } from "../Feeds.ts"
import { doubles, ints, texts } from "../ingest/arrays.ts"
import type { Due as Removal } from "../removing.ts"
import {
  asSealed,
  batchesAfter,
  type Due,
  dueIn,
  type Named,
  type SealedDay,
  sealedDays,
  seriesByMetric
} from "./due.ts"
import type { Finding } from "./finding.ts"

/** The newest batch whose leaves are judged. */
export const judgedBatch = "anomalies_batch"

/** The first day whose leaves are judged; absent where an earlier version began to judge without noting it. */
export const firstJudgedDay = "anomalies_first_day"

/** How long findings are kept, in milliseconds. */
const retention = 400 * dayMs

/** The rules, loaded when a day is closed: most of the time nothing needs their statistics. */
const loadRules = Effect.promise(() => import("./judgeMetric.ts"))

/** Series whose days are read by one statement; a metric is never cut, since its series are judged beside each other. */
const seriesAtOnce = 200

/** Judgements before the loop yields; each takes about 50 microseconds. */
const judgedAtOnce = 100

export class Anomalies extends Context.Service<
  Anomalies,
  {
    /** Judges what was closed since the last time; returns the number of findings. */
    readonly run: Effect.Effect<number, SqlError>
  }
>()("core/readings/anomalies/Anomalies") {
  static readonly layer = Layer.effect(
    Anomalies,
    Effect.gen(function* () {
      const provided = yield* providing(SqlClient.SqlClient, Feeds, Changes)
      // Two duties of this process call it; the second then finds nothing left to judge. Across processes the upsert makes a
      // repetition harmless.
      const turn = yield* Semaphore.make(1)
      return Anomalies.of({ run: turn.withPermits(1)(provided(run)()) })
    })
  )
}

interface Result extends Due {
  /** Of the leaf. */
  readonly version: number
  readonly finding: Finding
}

const run = Effect.fn("Anomalies.run")(function* () {
  const before = yield* storedFact(judgedBatch)
  const batches = yield* batchesAfter(Number(before ?? 0))
  const [first, newest] = [batches[0], batches.at(-1)]
  if (first === undefined || newest === undefined) return 0
  const due = yield* dueIn(
    batches.map(({ id }) => id),
    newest.day
  )
  const results = yield* judgeDue(newest.id, due)
  yield* store({ batch: newest.id, first: before === undefined ? first.day : undefined }, due, results)
  if (results.length > 0)
    yield* Effect.logInfo("found unusual values", {
      day: newest.day,
      judged: due.length,
      found: results.length
    })
  return results.length
})

const judgeDue = Effect.fnUntraced(function* (batch: number, due: ReadonlyArray<Due>) {
  const { manifests } = yield* Feeds
  const dueOf = Map.groupBy(due, ({ series }) => series)
  const metrics = [...(yield* seriesByMetric(manifests)).values()].filter((of) =>
    of.some(({ id }) => dueOf.has(id))
  )
  const results: Array<Result> = []
  for (const group of inGroups(metrics)) results.push(...(yield* judgeGroup(batch, group, dueOf)))
  return results
})

/** Metrics together until they have enough series for a statement. */
const inGroups = (metrics: ReadonlyArray<ReadonlyArray<Named>>) => {
  const groups: Array<Array<ReadonlyArray<Named>>> = [[]]
  let size = 0
  for (const metric of metrics) {
    if (size > 0 && size + metric.length > seriesAtOnce) {
      groups.push([])
      size = 0
    }
    groups.at(-1)?.push(metric)
    size += metric.length
  }
  return groups
}

const judgeGroup = Effect.fnUntraced(function* (
  batch: number,
  metrics: ReadonlyArray<ReadonlyArray<Named>>,
  dueOf: ReadonlyMap<number, ReadonlyArray<Due>>
) {
  const ids = metrics.flat().map(({ id }) => id)
  const days = ids.flatMap((id) => dueOf.get(id) ?? []).map(({ day }) => day)
  const [first, last] = [days.toSorted()[0], days.toSorted().at(-1)]
  if (first === undefined || last === undefined) return []
  const daysOf = Map.groupBy(yield* sealedDays(ids, { batch, first, last }), ({ series }) => series)
  const { judgeMetric } = yield* loadRules
  const results: Array<Result> = []
  let judged = 0
  for (const metric of metrics) {
    const all = metric.map(({ id, ...series }) => ({
      id,
      series: { ...series, days: valuesOf(daysOf.get(id)) }
    }))
    const judge = judgeMetric(all.map(({ series }) => series))
    for (const { id, series } of all) {
      for (const { day } of dueOf.get(id) ?? []) {
        const finding = judge({ ...series, days: series.days.filter(({ date }) => date <= day) })
        const version = daysOf.get(id)?.find(({ date }) => date === day)?.version
        if (finding?.day.date === day && version !== undefined)
          results.push({ series: id, day, version, finding })
        if (++judged % judgedAtOnce === 0) yield* Effect.yieldNow
      }
    }
  }
  const sealed = new Set((yield* asSealed(results)).map(placeOf))
  return results.filter((result) => sealed.has(placeOf(result)))
})

const placeOf = ({ day, series }: Due): string => `${series} ${day}`

const valuesOf = (rows: ReadonlyArray<SealedDay> = []): ReadonlyArray<DatedValue> =>
  rows.map(({ date, value, value_text }) => ({
    date,
    value,
    ...(value_text === null ? {} : { value_text })
  }))

/** One transaction: the values are judged, and what was found of them before is replaced; a finding that stays keeps its id. */
const store = Effect.fnUntraced(function* (
  { batch, first }: { readonly batch: number; readonly first: string | undefined },
  due: ReadonlyArray<Due>,
  results: ReadonlyArray<Result>
) {
  const sql = yield* SqlClient.SqlClient
  const changes = yield* Changes
  const at = new Date(yield* DataClock.now)
  const unusual = new Set(results.map(placeOf))
  const usual = due.filter((one) => !unusual.has(placeOf(one)))
  yield* Effect.gen(function* () {
    yield* sql`
      delete from anomaly a
      using unnest(${ints(usual.map(({ series }) => series))}, ${texts(usual.map(({ day }) => day))}) as t(series, day)
      where a.series = t.series and a.day = t.day::date`
    yield* sql`
      insert into anomaly (series, day, version, batch, rule, score, found, found_at)
      select series, day::date, version, ${batch}, rule, score, found::jsonb, ${at}
      from unnest(${ints(results.map(({ series }) => series))}, ${texts(results.map(({ day }) => day))},
        ${ints(results.map(({ version }) => version))}, ${texts(results.map(({ finding }) => finding.rule))},
        ${doubles(results.map(({ finding }) => finding.score))},
        ${texts(results.map(({ finding }) => JSON.stringify(finding)))}) as t(series, day, version, rule, score, found)
      on conflict (series, day) do update
        set version = excluded.version, batch = excluded.batch, rule = excluded.rule, score = excluded.score,
          found = excluded.found, found_at = excluded.found_at`
    yield* storeFact(judgedBatch, String(batch))
    if (first !== undefined) yield* storeFirstFacts(new Map([[firstJudgedDay, first]]))
    yield* changes.tell("anomalies")
  }).pipe(sql.withTransaction)
})

/** Removes findings that are older than they are kept. */
export const removeOldAnomalies = Effect.fnUntraced(function* ({ data }: Removal) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from anomaly where day < ${new Date(data - retention)}`
})
