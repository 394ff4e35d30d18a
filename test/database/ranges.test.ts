/** The ranges of the last known values, which a probe compares with. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { ranges } from "../../runtime/commands/ranges.ts"
import { noon, servicesOn } from "../readings/ingest/ingestSuite.ts"
import { onBothEngines } from "../support/database.ts"
import * as Runs from "../support/runs.ts"

const day = 86_400_000

onBothEngines("the last known values", (database) => {
  layer(servicesOn(database))((it) => {
    it.effect("have the lowest and the highest of the days, and none of them is the demo's", () =>
      Effect.gen(function* () {
        const ingest = yield* Ingest
        for (const [ago, value] of [
          [2, 140],
          [1, 100],
          [0, 120]
        ] as const) {
          const at = noon - ago * day
          yield* TestClock.setTime(at)
          yield* ingest.write(Runs.delivery(at, [Runs.row(value, new Date(at - 60_000).toISOString())]))
        }
        const { metric, source, symbol } = Runs.row(0, "2026-09-05T11:59:00Z")
        const range = { symbol, metric, source, value: 120, low: 100, high: 140 }
        assert.deepStrictEqual(yield* ranges, [range])

        const { bodies, run } = Runs.delivery(noon + 1000, [Runs.row(130, "2026-09-05T12:00:00Z")])
        yield* ingest.write({ bodies, run: { ...run, simulated: true } })
        assert.deepStrictEqual(yield* ranges, [])
      })
    )
  })
})
