/** A day whose readings an incident withdrew is not served, and no reader counts it: alerts, changes, the dictionary, ranges. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { EventLog } from "../../core/events/EventLog.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { changesOfDay } from "../../core/log/record/changesOfDay.ts"
import { isoTime, type Observation } from "../../core/plugin/Value.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { keyless } from "../../core/readings/read/Access.ts"
import { HistoryCoverage } from "../../core/readings/read/HistoryCoverage.ts"
import { history } from "../../core/readings/read/history.ts"
import { ranges } from "../../runtime/commands/ranges.ts"
import { accountOf, alerting, crossingsOf, fresh, hour, look, newAlert, start } from "../support/alerts.ts"
import { onBothEngines } from "../support/database.ts"
import * as Runs from "../support/runs.ts"

const day = 24 * hour
const dateAt = (time: number) => isoTime(time).slice(0, 10)

const read = Effect.fnUntraced(function* (value: number, time: number, over: Partial<Observation> = {}) {
  yield* TestClock.setTime(time)
  yield* (yield* Ingest).write(Runs.delivery(time, [Runs.row(value, isoTime(time), over)], "testnet"))
})

const withdraw = Effect.fnUntraced(function* (time: number) {
  const around = { from: time - hour, to: time + hour }
  yield* (yield* Incidents).open({ symbol: "FIL", metric: "nodes_online", ...around }, "counted twice")
})

const closeAt = Effect.fnUntraced(function* (time: number) {
  yield* TestClock.setTime(time)
  yield* (yield* DailyClose).run
  yield* (yield* EventLog).run
})

const firstServed = Effect.gen(function* () {
  const { data } = yield* history({ access: keyless, network: "FIL", metric: "nodes_online", days: 9 })
  return data["FIL"]?.["nodes_online"]?.first_date
})

const depthOf = (feed: string) =>
  Effect.gen(function* () {
    const coverage = yield* HistoryCoverage
    yield* coverage.refresh
    return (yield* coverage.byFeed).get(feed)
  }).pipe(Effect.provide(HistoryCoverage.layer))

onBothEngines("a day that an incident withdrew", (database) => {
  layer(alerting(database, [Runs.manifest]), { excludeTestServices: false })((it) => {
    it.effect("is no high that a new one must exceed", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        const high = yield* newAlert(ask, { condition: { kind: "new_high", days: 2 } })
        yield* read(100, start)
        yield* read(400, start + day)
        yield* withdraw(start + day)
        yield* look
        yield* read(200, start + 2 * day)
        yield* look
        assert.deepStrictEqual(
          (yield* crossingsOf(ask, high.id)).map(({ value }) => value),
          [200]
        )
      })
    )

    it.effect("is absent to an alert of absence", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        const absent = yield* newAlert(ask, { condition: { kind: "absent" } })
        yield* read(50, start)
        yield* closeAt(start + day)
        yield* look
        yield* read(60, start + day)
        yield* read(50, start + day, { symbol: "STORJ" })
        yield* withdraw(start + day)
        yield* closeAt(start + 2 * day)
        yield* look
        assert.lengthOf(yield* crossingsOf(ask, absent.id), 1)
      })
    )

    it.effect("counts for nothing in the depth of its feed, where it is the first", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* read(400, start)
        yield* withdraw(start)
        yield* read(200, start + day)
        assert.strictEqual((yield* depthOf("testnet"))?.first, yield* firstServed)
        assert.strictEqual((yield* depthOf("testnet"))?.days, 1)
      })
    )

    it.effect("gives no highest value of the last thirty days", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* read(400, start)
        yield* withdraw(start)
        yield* read(200, start + day)
        assert.deepStrictEqual(
          (yield* ranges).map(({ high, low, symbol }) => [symbol, low, high]),
          [["FIL", 200, 200]]
        )
      })
    )
  })

  // A log of its own: its documents outlive what `fresh` clears.
  layer(alerting(database, [Runs.manifest]), { excludeTestServices: false })((it) => {
    it.effect("begins no series, neither on the page of changes nor in the depth of its feed", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* read(7, start - day, { symbol: "STORJ" })
        yield* read(7, start, { symbol: "STORJ" })
        yield* read(400, start)
        yield* withdraw(start)
        yield* closeAt(start + day)
        yield* read(7, start + day, { symbol: "STORJ" })
        yield* read(200, start + day)
        yield* closeAt(start + 2 * day)
        assert.strictEqual(yield* firstServed, dateAt(start + day))
        const begun = yield* Effect.forEach([start, start + day], (time) => changesOfDay(dateAt(time)))
        assert.deepStrictEqual(
          begun.map((changes) => changes?.begun.map(({ symbol }) => symbol)),
          [[], ["FIL"]]
        )
      })
    )
  })
})
