/** What may happen to the record, for tests that ask it about earlier times: readings, revisions, incidents and closes. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { logged } from "../support/logged.ts"
import type { postgres } from "./database.ts"
import * as Runs from "./runs.ts"
import { clearRecentDays } from "./views.ts"

export const hour = 3_600_000

/** An hour of a day of September 2026. */
export const at = (day: number, hours: number) => Date.UTC(2026, 8, day, hours)

const count = { unit: "count", min: 0, meaning: "A count." } as const
const usd = { unit: "usd", meaning: "An amount." } as const

/** The metrics of an hourly bar. */
export const bar = ["open", "high", "low", "close", "volume"].map((part) => `ohlcv_1h_${part}`)

const metrics: Manifest["metrics"] = {
  nodes_online: { ...count, role: "headline" },
  nodes_up: count,
  fees_24h_usd: usd,
  price_usd: usd,
  ...Object.fromEntries(bar.map((name) => [name, usd]))
}

export const about = { symbol: "FIL", metric: "nodes_online", source: "test_feed" }

export const servicesOn = (database: typeof postgres) =>
  DailyClose.layer.pipe(
    Layer.provideMerge(logged(database, at(5, 12), Runs.feedsOf(["FIL", "STORJ"], metrics)))
  )

/** Takes everything away but the names of series. */
export const empty = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate anchor, anchor_failure, checkpoint, cosignature, document, log_entry, tree_level, leaf, batch,
    exclusion, incident_event, incident, revision, daily, latest, observation, reading_row, exchange, run, blob, fact`
  yield* (yield* Current).reload
  yield* clearRecentDays
})

/** Closes days into a log that knows of no entry yet. */
export const emptyLog = Effect.provide(DailyClose, DailyClose.layer.pipe(Layer.provideMerge(Log.layer)), {
  local: true
})

/** Stores a run that ended now, at that time. */
export const write = Effect.fnUntraced(function* (now: number, ...rows: Parameters<typeof Runs.delivery>[1]) {
  yield* TestClock.setTime(now)
  yield* (yield* Ingest).write(Runs.delivery(now, rows))
})

export const row = (metric: string, value: number, asOf: number, symbol = "FIL") =>
  Runs.row(value, isoTime(asOf), { metric, symbol, unit: metrics[metric]?.unit ?? "count" })

const ago = fc.integer({ min: 0, max: 30 })

/** Happens at a time of its own; `ago` are hours before it. */
export const recordEvent = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("reading" as const),
      ago,
      metric: fc.constantFrom("nodes_online", "nodes_up", "fees_24h_usd", "price_usd"),
      symbol: fc.constantFrom("FIL", "FIL", "STORJ"),
      // A fall of more than 90 percent opens an automatic incident.
      value: fc.constantFrom(100, 120, 150, 3)
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("bar" as const),
      ago: fc.integer({ min: 0, max: 6 }),
      value: fc.constantFrom(1, 2, 3)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("open" as const),
      ago,
      metric: fc.constantFrom("nodes_online", "ohlcv_1h_close")
    })
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("close" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("day" as const) }) }
)
export type RecordEvent = typeof recordEvent extends fc.Arbitrary<infer A> ? A : never

/** Lets them happen one after the other on an empty record; `then` is done after each, at its time. */
export const playEvents = Effect.fnUntraced(function* <E, R>(
  all: ReadonlyArray<RecordEvent>,
  then: (now: number) => Effect.Effect<void, E, R>
) {
  yield* empty
  const incidents = yield* Incidents
  const close = yield* emptyLog
  let now = at(3, 9)
  for (const one of all) {
    now += one.kind === "day" ? 26 * hour : 2 * hour
    yield* TestClock.setTime(now)
    const asOf = "ago" in one ? Math.max(now - one.ago * hour, at(2, 0)) : now
    switch (one.kind) {
      case "reading":
        yield* write(now, row(one.metric, one.value, asOf, one.symbol))
        break
      case "bar":
        yield* write(now, ...bar.map((name) => row(name, one.value, asOf)))
        break
      case "open":
        yield* incidents
          .open({ ...about, metric: one.metric, from: asOf - 6 * hour, to: asOf }, "a test")
          .pipe(Effect.ignore)
        break
      case "close": {
        const [open] = yield* incidents.list(true, 1)
        if (open !== undefined) yield* incidents.close(open.id, "a test")
        break
      }
      case "day":
        yield* close.run
    }
    yield* then(now)
  }
  yield* TestClock.setTime(now + hour)
})
