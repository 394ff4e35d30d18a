/** Every condition, when it is told, and how long one that nobody confirms is kept. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { AlertWatch } from "../../core/alerts/AlertWatch.ts"
import { afterQuiet } from "../../core/alerts/quiet.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { isoTime, type Observation } from "../../core/plugin/Value.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import {
  type Ask,
  accountOf,
  alerting,
  crossingsOf,
  fresh,
  Hosts,
  hour,
  linkIn,
  look,
  newAlert,
  send,
  start,
  values
} from "../support/alerts.ts"
import { onBothEngines } from "../support/database.ts"
import { dueAt } from "../support/due.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const minute = 60_000
const day = 24 * hour

const nodes = Runs.manifest.metrics["nodes_online"] ?? assert.fail()
const manifests = [
  {
    ...Runs.manifest,
    metrics: {
      ...Runs.manifest.metrics,
      storage_bytes: { unit: "bytes", min: 0, meaning: "Space of the nodes." } as const
    },
    agreesWith: [
      { metric: "nodes_online", source: "crawler", as: "nodes_seen", tolerance: 0.1, why: "the same nodes" }
    ]
  },
  { ...Runs.manifest, id: "crawler", source: "crawler", metrics: { nodes_seen: nodes } }
]

/** One reading of a time, which is also the time of the clock then. */
const read = Effect.fnUntraced(function* (
  value: number,
  time: number,
  over: Partial<Observation> = {},
  plugin = "testnet"
) {
  yield* TestClock.setTime(time)
  const row = Runs.row(value, isoTime(time), over)
  yield* (yield* Ingest).write(Runs.delivery(time, [row], plugin))
})

/** What the crossings of an alert say of themselves, oldest first. */
const says = (ask: Ask, { id }: { readonly id: string }) =>
  Effect.map(crossingsOf(ask, id), (crossings) => crossings.map(({ says }) => says).toReversed())

const crossedValues = (ask: Ask, { id }: { readonly id: string }) =>
  Effect.map(crossingsOf(ask, id), (crossings) => crossings.map(({ value }) => value).toReversed())

const catchUp = Effect.gen(function* () {
  yield* (yield* EventLog).run
  yield* look
})

describe("quiet hours", () => {
  const at = (time: string) => Date.parse(`2026-09-05T${time}:00Z`)
  const night = { from: "22:00", to: "07:00", utc_offset_minutes: 120 }

  it("put a message off until they end, across midnight and in their own zone", () => {
    assert.strictEqual(afterQuiet(at("12:00"), undefined), at("12:00"))
    assert.strictEqual(afterQuiet(at("19:59"), night), at("19:59"))
    assert.strictEqual(afterQuiet(at("20:00"), night), at("20:00") + 9 * hour)
    assert.strictEqual(afterQuiet(at("04:59"), night), at("05:00"))
    assert.strictEqual(afterQuiet(at("05:00"), night), at("05:00"))
    const noon = { from: "12:00", to: "13:30", utc_offset_minutes: -90 }
    assert.strictEqual(afterQuiet(at("13:29"), noon), at("13:29"))
    assert.strictEqual(afterQuiet(at("13:30"), noon), at("15:00"))
  })
})

onBothEngines("a condition", (database) => {
  layer(alerting(database, manifests), { excludeTestServices: false })((it) => {
    it.effect("on a value crosses down as well as up, and several on one series do not mind each other", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        yield* values(50)
        const below = yield* newAlert(ask, { condition: { kind: "below", value: 40 } })
        const above = yield* newAlert(ask, { condition: { kind: "above", value: 45 } })
        const higher = yield* newAlert(ask, { condition: { kind: "above", value: 60 } })
        const elsewhere = yield* newAlert(ask, { condition: { kind: "above", value: 45 }, symbol: "STORJ" })
        yield* values(39, 38, 46, 61, 30)
        yield* look
        assert.deepStrictEqual(yield* crossedValues(ask, below), [39, 30])
        assert.deepStrictEqual(yield* crossedValues(ask, above), [46])
        assert.deepStrictEqual(yield* crossedValues(ask, higher), [61])
        assert.deepStrictEqual(yield* crossedValues(ask, elsewhere), [])
      })
    )

    it.effect("does not count a value that came before it, also where another alert has it queued", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        yield* values(50)
        const first = yield* newAlert(ask, { condition: { kind: "above", value: 100 } })
        yield* values(150, 50)
        const second = yield* newAlert(ask, { condition: { kind: "above", value: 100 } })
        yield* values(160)
        yield* look
        assert.deepStrictEqual(yield* crossedValues(ask, first), [150, 160])
        assert.deepStrictEqual(yield* crossedValues(ask, second), [160])
      })
    )

    it.effect("on a category or a whole network hears every series of it", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        const storage = { symbol: undefined, category: "storage" }
        const above = yield* newAlert(ask, { ...storage, condition: { kind: "above", value: 100 } })
        const ofAi = yield* newAlert(ask, {
          ...storage,
          category: "ai",
          condition: { kind: "above", value: 100 }
        })
        const network = yield* newAlert(ask, { metric: undefined, condition: { kind: "revised" } })
        const source = yield* newAlert(ask, { condition: { kind: "revised" }, source: "crawler" })
        yield* read(150, start)
        yield* read(160, start, { symbol: "STORJ" })
        yield* read(3, start, { metric: "price_change_24h_pct", unit: "pct" })
        yield* read(4, start, { metric: "price_change_24h_pct", unit: "pct" })
        yield* read(151, start)
        yield* catchUp
        assert.deepStrictEqual(
          (yield* crossingsOf(ask, above.id)).map(({ symbol, value }) => `${symbol} ${value}`).toSorted(),
          ["FIL 150", "STORJ 160"]
        )
        assert.deepStrictEqual(yield* crossedValues(ask, ofAi), [])
        assert.sameMembers([...(yield* crossedValues(ask, network))], [4, 151])
        assert.deepStrictEqual(yield* crossedValues(ask, source), [])
      })
    )

    it.effect("on a change needs a value to compare with, and goes both ways", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        const change = yield* newAlert(ask, { condition: { kind: "change", percent: 10, hours: 1 } })
        yield* read(0, start)
        yield* read(1000, start + hour)
        yield* look
        assert.deepStrictEqual(yield* says(ask, change), [], "of nothing there is no percentage")
        yield* read(1099, start + 2 * hour)
        yield* read(980, start + 3 * hour)
        // The newest of the values that are older by one hour is more than twice as old.
        yield* read(2000, start + 9 * hour)
        yield* look
        assert.deepStrictEqual(
          (yield* says(ask, change)).map((text) => text.replace(/.*, /, "")),
          ["changed by -10.83 % from 1099 at 2026-09-05T11:00:00Z."]
        )
      })
    )

    it.effect("on a high or a low needs a series as old, and compares with the days before", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        const low = yield* newAlert(ask, { condition: { kind: "new_low", days: 2 } })
        const high = yield* newAlert(ask, { condition: { kind: "new_high", days: 2 } })
        yield* read(100, start)
        yield* read(30, start + day)
        yield* look
        assert.deepStrictEqual(yield* crossedValues(ask, low), [], "the series is not two days old")
        yield* read(50, start + 2 * day)
        yield* read(101, start + 2 * day + hour)
        yield* read(29, start + 2 * day + 2 * hour)
        yield* look
        assert.deepStrictEqual(yield* crossedValues(ask, high), [101])
        assert.deepStrictEqual(yield* crossedValues(ask, low), [29])
      })
    )

    it.effect("on age crosses once, and again only after a newer value", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        yield* read(50, start)
        const stale = yield* newAlert(ask, { condition: { kind: "stale", hours: 5 } })
        const lookAt = (time: number) => Effect.andThen(TestClock.setTime(time), look)
        yield* lookAt(start + 5 * hour - minute)
        assert.lengthOf(yield* says(ask, stale), 0)
        yield* lookAt(start + 5 * hour)
        yield* lookAt(start + 6 * hour)
        assert.lengthOf(yield* says(ask, stale), 1)
        yield* read(50, start + 7 * hour)
        yield* look
        yield* lookAt(start + 11 * hour)
        assert.lengthOf(yield* says(ask, stale), 1)
        yield* lookAt(start + 12 * hour)
        assert.lengthOf(yield* says(ask, stale), 2)
      })
    )

    it.effect("on age does not look at a latest value that is no reading", () =>
      Effect.gen(function* () {
        yield* fresh
        const sql = yield* SqlClient.SqlClient
        const { ask } = yield* accountOf("agent")
        yield* read(50, start)
        const stale = yield* newAlert(ask, { condition: { kind: "stale", hours: 5 } })
        yield* sql`update latest set as_of = as_of - interval '9 hours'`
        yield* TestClock.setTime(start + hour)
        yield* look
        assert.lengthOf(yield* says(ask, stale), 0)
      })
    )

    it.effect("on absence crosses with the close of the first day that has no value", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        const absent = yield* newAlert(ask, { condition: { kind: "absent" } })
        const closeOn = Effect.fnUntraced(function* (time: number) {
          yield* TestClock.setTime(time)
          yield* (yield* DailyClose).run
          yield* catchUp
        })
        yield* read(50, start)
        yield* closeOn(start + day)
        assert.deepStrictEqual(yield* says(ask, absent), [])
        // Another series has a value, so the day is closed.
        yield* read(50, start + day, { symbol: "STORJ" })
        yield* closeOn(start + 2 * day)
        const [{ proof_url } = assert.fail(), ...others] = yield* crossingsOf(ask, absent.id)
        assert.deepStrictEqual(others, [])
        assert.include(proof_url, "date=20260906")
        yield* read(50, start + 2 * day, { symbol: "STORJ" })
        yield* closeOn(start + 3 * day)
        assert.lengthOf(yield* says(ask, absent), 1, "it lasts")
      })
    )

    it.effect("on what is held is another than on any incident", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        yield* read(50, start)
        const guarded = yield* newAlert(ask, { condition: { kind: "held" } })
        const incident = yield* newAlert(ask, { metric: undefined, condition: { kind: "incident" } })
        yield* read(-5, start + hour)
        yield* catchUp
        assert.lengthOf(yield* says(ask, guarded), 1)
        assert.match(
          (yield* says(ask, guarded))[0] ?? "",
          /has a reading held back .*below the least possible value 0/
        )
        const span = { from: start - hour, to: start + minute }
        yield* (yield* Incidents).open({ symbol: "FIL", metric: "nodes_online", ...span }, "counted twice")
        yield* catchUp
        assert.lengthOf(yield* says(ask, guarded), 1)
        assert.lengthOf(yield* says(ask, incident), 2)
      })
    )

    it.effect("on what is held tells a fault once, with the series of it that the alert is about", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        const condition = { kind: "held" } as const
        const ofNetwork = yield* newAlert(ask, { metric: undefined, condition })
        const ofMetric = yield* newAlert(ask, { condition })
        const elsewhere = yield* newAlert(ask, { symbol: "STORJ", condition })
        yield* TestClock.setTime(start)
        const as_of = isoTime(start)
        const bytes = { metric: "storage_bytes", unit: "bytes" } as const
        const rows = [
          Runs.row(-5, as_of),
          Runs.row(-6, as_of, bytes),
          Runs.row(-7, as_of, { symbol: "STORJ" }),
          Runs.row(-8, as_of, { symbol: "SC" })
        ]
        yield* (yield* Ingest).write(Runs.delivery(start, rows))
        yield* catchUp
        const crossed = (of: { readonly id: string }) =>
          Effect.map(crossingsOf(ask, of.id), (crossings) =>
            crossings.map(({ metric, series, symbol }) => ({
              first: `${metric} of ${symbol}`,
              all: series?.map((one) => `${one.metric} of ${one.symbol}`)
            }))
          )
        assert.deepStrictEqual(yield* crossed(ofNetwork), [
          { first: "nodes_online of FIL", all: ["nodes_online of FIL", "storage_bytes of FIL"] }
        ])
        assert.match(
          (yield* says(ask, ofNetwork))[0] ?? "",
          /^nodes_online of FIL has a reading held back .* The same fault met storage_bytes of FIL\.$/
        )
        assert.deepStrictEqual(yield* crossed(ofMetric), [{ first: "nodes_online of FIL", all: undefined }])
        assert.deepStrictEqual(yield* crossed(elsewhere), [
          { first: "nodes_online of STORJ", all: undefined }
        ])
      })
    )

    it.effect("on disagreement names both sources", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        const disagree = yield* newAlert(ask, { condition: { kind: "disagree" } })
        yield* read(1000, start)
        yield* read(700, start + minute, { metric: "nodes_seen", source: "crawler" }, "crawler")
        yield* catchUp
        const [text = "", ...others] = yield* says(ask, disagree)
        assert.deepStrictEqual(others, [])
        assert.match(
          text,
          /is 1000 \(count\) by test_feed .* nodes_seen is 700 by crawler .*: the same nodes\.$/
        )
      })
    )

    it.effect("on an unusual value tells each finding once, and none of before", () =>
      Effect.gen(function* () {
        yield* fresh
        const sql = yield* SqlClient.SqlClient
        const { ask } = yield* accountOf("agent")
        yield* read(1000, start)
        const finding = JSON.stringify({
          before: { date: "2026-09-04", value: 600 },
          low: 590,
          high: 610,
          baseline_days: 20,
          why: "It changed by +66.67 %."
        })
        const find = sql`
          insert into anomaly (series, day, version, batch, rule, score, found, found_at)
          select series, day, version, 1, 'level', 14, ${finding}::jsonb, now() from daily`
        yield* find
        const unusual = yield* newAlert(ask, { condition: { kind: "unusual" } })
        const elsewhere = yield* newAlert(ask, { condition: { kind: "unusual" }, symbol: "STORJ" })
        yield* catchUp
        assert.deepStrictEqual(yield* says(ask, unusual), [])
        yield* sql`delete from anomaly`
        yield* find
        yield* catchUp
        yield* sql`update anomaly set score = 15`
        yield* catchUp
        assert.deepStrictEqual(yield* says(ask, unusual), [
          "nodes_online of FIL, 1000 (count) on 2026-09-05, is unusual by the rule level. It changed by +66.67 %."
        ])
        assert.deepStrictEqual(yield* says(ask, elsewhere), [])
        yield* sql`delete from anomaly`
      })
    )

    it.effect("is told after quiet hours, and as often as its interval lets it", () =>
      Effect.gen(function* () {
        yield* fresh
        const { call } = yield* Service
        const { posted } = yield* Hosts
        const { ask } = yield* accountOf("agent")
        yield* values(50)
        const channel = { kind: "ntfy", topic: "quiet" }
        // It is 09:00.
        const quiet_hours = { from: "08:00", to: "10:00", utc_offset_minutes: 0 }
        yield* newAlert(ask, { condition: { kind: "above", value: 100 }, channel, quiet_hours })
        const often = { kind: "ntfy", topic: "often" }
        yield* newAlert(ask, { condition: { kind: "above", value: 100 }, channel: often, min_interval: 60 })
        yield* send
        for (const { body } of posted.splice(0))
          yield* call({ method: "POST", path: linkIn(body, "confirm") })
        const topics = Effect.gen(function* () {
          yield* look
          yield* send
          return posted.splice(0).map(({ body }) => String(JSON.parse(body).topic))
        })
        yield* values(150)
        assert.deepStrictEqual(yield* topics, ["often"])
        yield* values(90, 151)
        yield* TestClock.adjust("59 seconds")
        assert.deepStrictEqual(yield* topics, [])
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* topics, ["often"])
        yield* TestClock.setTime(start + hour - 1)
        assert.deepStrictEqual(yield* topics, [])
        yield* TestClock.setTime(start + hour)
        assert.deepStrictEqual(yield* topics, ["quiet"])
      })
    )

    it.effect("of one account with dead targets does not hold up the message of another", () =>
      Effect.gen(function* () {
        yield* fresh
        const { posted, state } = yield* Hosts
        const condition = { kind: "revised" }
        const { ask: dead } = yield* accountOf("agent")
        const { id } = yield* newAlert(dead, { condition, channel: { kind: "ntfy", topic: "dead" } })
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          insert into alert_delivery (id, alert, type, created_at, due_at, give_up_at)
          select 'msg_' || n, alert, type, created_at, due_at - interval '1 minute', give_up_at
          from alert_delivery, generate_series(1, 40) n where alert = ${id}`
        const { ask: other } = yield* accountOf("agent")
        yield* newAlert(other, { condition, channel: { kind: "ntfy", topic: "other" } })
        posted.length = 0
        state.status = 503
        assert.strictEqual(yield* send, 9)
        state.status = 200
        const topics = posted.splice(0).map(({ body }) => String(JSON.parse(body).topic))
        assert.deepStrictEqual(topics.toSorted(), [...Array<string>(8).fill("dead"), "other"])
        assert.strictEqual(yield* send, 8)
        posted.length = 0
      })
    )

    it.effect("that nobody confirms is removed after a week, and one that was confirmed is not", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        const { removeOld } = yield* AlertWatch
        const condition = { kind: "revised" }
        const pending = yield* newAlert(ask, { condition, channel: { kind: "ntfy", topic: "nobody" } })
        const active = yield* newAlert(ask, { condition })
        const status = ({ id }: { readonly id: string }) =>
          Effect.map(ask("GET", `/v1/alerts/${id}`), ({ status }) => status)
        yield* removeOld(dueAt(start + 7 * day))
        assert.deepStrictEqual([yield* status(pending), yield* status(active)], [200, 200])
        yield* removeOld(dueAt(start + 7 * day + 1))
        assert.deepStrictEqual([yield* status(pending), yield* status(active)], [404, 200])
      })
    )
  })
})
