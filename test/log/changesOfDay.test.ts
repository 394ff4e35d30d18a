/** What changed with a closed day: moves, revisions, incidents and new series, each on its day and with its reason. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { changesOfDay } from "../../core/log/record/changesOfDay.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { onBothEngines } from "../support/database.ts"
import { about, at, row, servicesOn, write } from "../support/recordEvents.ts"

const closeOn = Effect.fnUntraced(function* (day: number) {
  yield* TestClock.setTime(at(day, 8))
  yield* (yield* DailyClose).run
})

const changesOn = (date: string) => Effect.map(changesOfDay(date), (changes) => changes ?? assert.fail(date))

/** The moves of a day as symbol, metric and percent. */
const movesOn = (date: string) =>
  Effect.map(changesOn(date), ({ moves }) =>
    moves.map(({ change, metric, symbol }) => [
      symbol,
      metric,
      change.from.value,
      change.to.value,
      change.relative
    ])
  )

onBothEngines("the changes of a day", (database) => {
  layer(servicesOn(database), { excludeTestServices: false })((it) => {
    it.effect("are of headline figures with a broad base, and follow what is revised and withheld", () =>
      Effect.gen(function* () {
        yield* write(
          at(3, 20),
          row("nodes_online", 1000, at(3, 10)),
          row("nodes_online", 50, at(3, 10), "STORJ"),
          row("nodes_up", 500, at(3, 10))
        )
        yield* closeOn(4)
        yield* write(
          at(4, 20),
          row("nodes_online", 1050, at(4, 9)),
          row("nodes_online", 1100, at(4, 10)),
          row("nodes_online", 90, at(4, 10), "STORJ"),
          row("nodes_up", 900, at(4, 10)),
          row("price_usd", 2, at(4, 10))
        )
        yield* closeOn(5)

        // Of the first day there is no day before, so nothing was compared and nothing is new.
        const first = yield* changesOn("2026-09-03")
        assert.deepStrictEqual([first.compared, first.moves, first.begun], [0, [], []])

        const second = yield* changesOn("2026-09-04")
        assert.strictEqual(second.compared, 2)
        assert.strictEqual(second.dayBefore, "2026-09-03")
        assert.deepStrictEqual(
          second.begun.map(({ metric, symbol }) => [symbol, metric]),
          [["FIL", "price_usd"]]
        )
        assert.deepStrictEqual(yield* movesOn("2026-09-04"), [["FIL", "nodes_online", 1000, 1100, 10]])
        assert.deepStrictEqual([second.revisions, second.incidents], [[], []])

        // Restated on the 5th: the move of the 4th follows, and the revision is of the day on which it came.
        yield* write(at(5, 10), row("nodes_online", 1200, at(4, 10)))
        yield* write(at(5, 11), row("nodes_online", 900, at(5, 9)))
        yield* closeOn(6)
        assert.deepStrictEqual(yield* movesOn("2026-09-04"), [["FIL", "nodes_online", 1000, 1200, 20]])
        assert.deepStrictEqual(yield* movesOn("2026-09-05"), [["FIL", "nodes_online", 1200, 900, -25]])
        const third = yield* changesOn("2026-09-05")
        // STORJ has no value of this day.
        assert.strictEqual(third.compared, 1)
        assert.deepStrictEqual(
          third.revisions.map(({ after_value, before_value, metric }) => [metric, before_value, after_value]),
          [["nodes_online", 1100, 1200]]
        )
        assert.isNotEmpty(third.revisions[0]?.why)
        assert.deepStrictEqual((yield* changesOn("2026-09-04")).revisions, [])

        // Withheld on the 6th: there is no move from a day without an accepted reading, nor to it.
        yield* write(at(6, 10), row("nodes_online", 1000, at(6, 9)))
        const incidents = yield* Incidents
        yield* incidents.open({ ...about, from: at(5, 0), to: at(5, 23) }, "counted twice")
        yield* closeOn(7)
        assert.deepStrictEqual(yield* movesOn("2026-09-05"), [])
        assert.deepStrictEqual(yield* movesOn("2026-09-06"), [])
        assert.deepStrictEqual(
          (yield* changesOn("2026-09-06")).incidents.map(({ metric, reason }) => [metric, reason]),
          [["nodes_online", "counted twice"]]
        )
        assert.strictEqual(yield* changesOfDay("2026-09-07"), undefined)
      })
    )
  })
})
