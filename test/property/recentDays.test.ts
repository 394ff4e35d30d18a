/**
 * Whatever is read, read late, restated, excluded, accepted again, closed or dropped, and wherever the clock steps: the
 * recent days in memory are what SQL gives, in the process that wrote them and in one that follows it; and the version of a
 * symbol moves whenever its days do.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import * as DataClock from "../../core/clock/DataClock.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { chunkRows } from "../../core/readings/ingest/Registry.ts"
import { endless } from "../../core/readings/ingest/write/exclusions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { daysBetween, lastClosedDay, lastDays } from "../../core/readings/read/days.ts"
import { RecentDays, recentDays, SeriesRow } from "../../core/readings/read/RecentDays.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { captureLog } from "../support/captureLog.ts"
import { onBothEngines } from "../support/database.ts"
import { attested, dueAt } from "../support/due.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"
import { statementsOf } from "../support/statements.ts"

// `RUNS` makes a campaign of it.
const numRuns = Number(process.env["RUNS"] ?? 4)

const hour = 3_600_000
const day = 24 * hour
const start = Date.UTC(2026, 9, 20, 12)

const series = ["FIL", "STORJ"].flatMap((symbol) =>
  ["nodes_online", "price_change_24h_pct"].map((metric) => ({ symbol, metric }))
)
const unitOf = (metric: string) => (metric === "nodes_online" ? "count" : "pct")

const one = fc.nat(series.length - 1)
const reading = fc.record({
  of: one,
  ago: fc.oneof(fc.integer({ min: -1, max: 30 }), fc.integer({ min: 0, max: 60 * 24 })),
  value: fc.integer({ min: 1, max: 9 }),
  text: fc.boolean(),
  path: fc.nat(2)
})
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("write"),
      rows: fc.array(reading, { minLength: 1, maxLength: 6 })
    })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("open"), of: one, days: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("accept"), n: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("close") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("drop"), days: fc.integer({ min: 7, max: 60 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("clock"), hours: fc.integer({ min: 1, max: 60 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("clock"), hours: fc.integer({ min: -60, max: 24 * 45 }) })
  }
)
const steps = fc.array(step, { minLength: 5, maxLength: 25 })
type Steps = typeof steps extends fc.Arbitrary<infer A> ? A : never

const idRows = rowsOf({ id: Schema.Int })
const storedSeries = rowsOf(SeriesRow.fields)

const byMetric = (rows: ReadonlyArray<SeriesRow>) => rows.toSorted((a, b) => a.id - b.id)

/** What SQL says of a symbol's recent days. */
const stored = Effect.fnUntraced(function* (symbol: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select id, symbol, metric, source, tier, unit from series where symbol = ${symbol}`.pipe(storedSeries)
  const window = lastDays(yield* DataClock.now, recentDays)
  const dayLists = yield* Effect.forEach(byMetric(rows), ({ id }) => daysBetween([id], window, 10_000))
  return {
    series: byMetric(rows),
    days: dayLists.flat().map((row) => ({ ...row, as_of: row.as_of.getTime() }))
  }
})

const inMemory = Effect.fnUntraced(function* (recent: RecentDays["Service"], symbol: string) {
  const memory = yield* recent.memory
  const rows = byMetric(memory.of(symbol))
  const window = lastDays(yield* DataClock.now, recentDays)
  const days = memory.between(
    rows.map(({ id }) => id),
    window
  )
  return { series: rows, days: days?.map((row) => ({ ...row, as_of: row.as_of.getTime() })) }
})

/** In the order of both: an incident's rows of one day have none of their own. */
const sorted = <R extends { readonly series: number; readonly incident: number; readonly date: string }>(
  rows: ReadonlyArray<R> | undefined
) =>
  rows
    ?.map((row) => ({ ...row }))
    .sort(
      (a, b) =>
        a.series - b.series ||
        Number(a.incident > 0) - Number(b.incident > 0) ||
        a.date.localeCompare(b.date) ||
        a.incident - b.incident
    )

onBothEngines("recent days", (database) => {
  const services = Layer.mergeAll(Ingest.layer, Incidents.layer).pipe(
    Layer.provideMerge(Current.layer),
    // Runs of several transactions, too.
    Layer.provide(Layer.succeed(chunkRows, 4)),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(start + 400 * day)))),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(database)
  )

  const live = Effect.fnUntraced(function* (all: Steps, other: RecentDays["Service"]) {
    const ingest = yield* Ingest
    const incidents = yield* Incidents
    const close = yield* DailyClose
    const recent = yield* RecentDays
    const sql = yield* SqlClient.SqlClient
    const { cell } = yield* Versions
    const opened: Array<number> = []
    const before = new Map<string, readonly [version: number, found: string]>()
    let now = start
    yield* TestClock.setTime(now)
    yield* recent.memory
    yield* other.memory
    for (const step of all) {
      if (step.do === "write" && "rows" in step) {
        const rows = step.rows.map(({ ago, of, path, text, value }) => {
          const { metric, symbol } = series[of] ?? assert.fail("no series")
          return Runs.row(value, isoTime(Math.floor((now - ago * hour) / hour) * hour), {
            symbol,
            metric,
            unit: unitOf(metric),
            verify_url: `https://stats.example.net/v1/${path}`,
            ...(text ? { value_text: `${value}.0` } : {})
          })
        })
        yield* ingest.write(Runs.delivery(now, rows))
      }
      if (step.do === "open" && "of" in step) {
        const { metric, symbol } = series[step.of] ?? assert.fail("no series")
        const id = yield* incidents
          .open({ symbol, metric, from: now - step.days * day, to: endless }, "a bad deploy")
          .pipe(Effect.catchTag("RangeEmpty", () => Effect.succeed(0)))
        if (id > 0) opened.push(id)
      }
      if (step.do === "accept" && "n" in step) {
        const [id] = opened.splice(step.n, 1)
        if (id !== undefined) yield* incidents.close(id, "it was right")
      }
      if (step.do === "close") yield* close.run
      if (step.do === "drop" && "days" in step)
        yield* partitions.dropBefore(dueAt(now), { attested, keepDays: step.days })
      if (step.do === "clock" && "hours" in step) {
        now += step.hours * hour
        yield* TestClock.setTime(now)
      }
      const ids = (yield* sql`select id from series`.pipe(idRows)).map(({ id }) => id)
      yield* Effect.flatMap(other.readOf(ids), other.apply)
      // What this process wrote is in its memory; only days that a step of the clock asks for are read.
      const [, statements] = yield* statementsOf(recent.memory)
      if (step.do !== "clock") assert.strictEqual(statements, 0)
      const closed = yield* lastClosedDay()
      for (const symbol of ["FIL", "STORJ"]) {
        const expected = yield* stored(symbol)
        for (const memory of [recent, other]) {
          const actual = yield* inMemory(memory, symbol)
          assert.deepStrictEqual(actual.series, expected.series)
          assert.deepStrictEqual(sorted(actual.days), sorted(expected.days))
          assert.strictEqual((yield* memory.memory).closed, closed)
        }
        const [version, previousText] = before.get(symbol) ?? [-1, ""]
        const text = JSON.stringify(expected)
        const after = cell({ symbol }).version(now)
        if (step.do !== "clock" && text !== previousText) assert.notStrictEqual(after, version)
        before.set(symbol, [after, text])
      }
    }
  })

  const once = Effect.fnUntraced(function* (all: Steps) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`truncate anchor, anchor_failure, cosignature, checkpoint, document, log_entry, tree_level, leaf, batch,
      incident_event, exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob, fact`
    // Dropped partitions come back.
    yield* TestClock.setTime(start)
    yield* partitions.ensure(start + 400 * day)
    yield* (yield* Current).reload
    yield* (yield* RecentDays).forget
    const other = Context.get(yield* Layer.build(Layer.fresh(Current.layer)), RecentDays)
    // Services whose memory is as empty as the tables.
    yield* Effect.provide(live(all, other), DailyClose.layer.pipe(Layer.provideMerge(Log.layer)), {
      local: true
    })
  }, Effect.scoped)

  layer(services)((it) => {
    it.effect(
      "are those of the database, whatever happened",
      () =>
        Effect.gen(function* () {
          const { logger } = captureLog()
          const context = yield* Effect.context<Effect.Services<ReturnType<typeof once>>>()
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(steps, (all) =>
                Effect.runPromiseWith(context)(once(all).pipe(Effect.provide(logger)))
              ),
              { numRuns, endOnFailure: true }
            )
          )
        }),
      numRuns * 20_000
    )
  })
})
