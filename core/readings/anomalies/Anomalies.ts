/**
 * Judges closed values: each leaf of a batch once the batch is closed, and a revised value again in its new version. A finding is of
 * the leaves alone, in the versions that were the newest when it was judged; a revision of its baseline does not change it.
 */
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { providing } from "../../process/providing.ts"
import { storedFact } from "../../sql/keyValue.ts"
import { Changes } from "../Changes.ts"
import { Feeds } from "../Feeds.ts"
import { doubles, ints, texts } from "../ingest/arrays.ts"
import type { Due as Removal } from "../removing.ts"
import { batchesAfter, type Due, dueIn, type Named, sealedDays, seriesByMetric } from "./due.ts"
import type { Finding } from "./finding.ts"
import { judgeMetric } from "./judgeMetric.ts"

/** The newest batch whose leaves are judged. */
export const judgedBatch = "anomalies_batch"

/** How long findings are kept, in milliseconds. */
const keptFor = 400 * dayMs

/** Series whose days are read by one statement; a metric is never cut, since its series are judged beside each other. */
const seriesAtOnce = 200

/** Judgements between which others get a turn: each takes some 50 microseconds. */
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
      return Anomalies.of({ run: provided(run)() })
    })
  )
}

interface Result {
  readonly due: Due
  readonly finding: Finding
}

const run = Effect.fn("Anomalies.run")(function* () {
  const batches = yield* batchesAfter(Number((yield* storedFact(judgedBatch)) ?? 0))
  const newest = batches.at(-1)
  if (newest === undefined) return 0
  const due = yield* dueIn(
    batches.map(({ id }) => id),
    newest
  )
  const results = yield* judgeDue(
    newest.id,
    due.filter(({ stands }) => stands)
  )
  yield* store(newest.id, due, results)
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
  const results: Array<Result> = []
  let judged = 0
  for (const metric of metrics) {
    const all = metric.map(({ id, ...series }) => ({
      id,
      series: {
        ...series,
        days: (daysOf.get(id) ?? []).map(({ date, value, value_text }) => ({
          date,
          value,
          ...(value_text === null ? {} : { value_text })
        }))
      }
    }))
    const judge = judgeMetric(all.map(({ series }) => series))
    for (const { id, series } of all) {
      for (const due of dueOf.get(id) ?? []) {
        const finding = judge({ ...series, days: series.days.filter(({ date }) => date <= due.day) })
        if (finding !== undefined && finding.day.date === due.day) results.push({ due, finding })
        if (++judged % judgedAtOnce === 0) yield* Effect.yieldNow
      }
    }
  }
  return results
})

/** One transaction: the values are judged, and what was found of them before is replaced; a finding that stays keeps its id. */
const store = Effect.fnUntraced(function* (
  batch: number,
  due: ReadonlyArray<Due>,
  results: ReadonlyArray<Result>
) {
  const sql = yield* SqlClient.SqlClient
  const changes = yield* Changes
  const at = new Date(yield* DataClock.now)
  const unusual = new Set(results.map(({ due: { day, series } }) => `${series} ${day}`))
  const usual = due.filter(({ day, series }) => !unusual.has(`${series} ${day}`))
  yield* Effect.gen(function* () {
    yield* sql`
      delete from anomaly a
      using unnest(${ints(usual.map(({ series }) => series))}, ${texts(usual.map(({ day }) => day))}) as t(series, day)
      where a.series = t.series and a.day = t.day::date`
    yield* sql`
      insert into anomaly (series, day, version, batch, rule, score, found, found_at)
      select series, day::date, version, ${batch}, rule, score, found::jsonb, ${at}
      from unnest(${ints(results.map(({ due }) => due.series))}, ${texts(results.map(({ due }) => due.day))},
        ${ints(results.map(({ due }) => due.version))}, ${texts(results.map(({ finding }) => finding.rule))},
        ${doubles(results.map(({ finding }) => finding.score))},
        ${texts(results.map(({ finding }) => JSON.stringify(finding)))}) as t(series, day, version, rule, score, found)
      on conflict (series, day) do update
        set version = excluded.version, batch = excluded.batch, rule = excluded.rule, score = excluded.score,
          found = excluded.found, found_at = excluded.found_at`
    yield* sql`insert into fact ${sql.insert({ name: judgedBatch, value: String(batch) })}
      on conflict (name) do update set value = excluded.value`
    yield* changes.tell("anomalies")
  }).pipe(sql.withTransaction)
})

/** Removes findings that are older than they are kept. */
export const removeOldAnomalies = Effect.fnUntraced(function* ({ data }: Removal) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from anomaly where day < ${new Date(data - keptFor)}`
})
