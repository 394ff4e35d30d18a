/** The ranges of the last known values, which a probe compares with. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Blobs } from "../../core/data/ingest/Blobs.ts"
import { chunkRows, Ingest } from "../../core/data/ingest/Ingest.ts"
import * as partitions from "../../core/data/ingest/partitions.ts"
import { Current } from "../../core/data/read/Current.ts"
import { ranges } from "../../runtime/commands/ranges.ts"
import { onBothEngines } from "../support/database.ts"
import * as Runs from "../support/runs.ts"

const day = 86_400_000
const noon = Date.UTC(2026, 8, 5, 12)

onBothEngines("the last known values", (database) => {
  const services = Ingest.layer.pipe(
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(Layer.succeed(chunkRows, 1000)),
    Layer.provideMerge(database)
  )

  layer(services)((it) => {
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
        const known = { symbol, metric, source, value: 120, low: 100, high: 140 }
        assert.deepStrictEqual(yield* ranges, [known])

        const { bodies, run } = Runs.delivery(noon + 1000, [Runs.row(900, "2026-09-05T12:00:00Z")])
        yield* ingest.write({ bodies, run: { ...run, simulated: true } })
        assert.deepStrictEqual(yield* ranges, [])
      })
    )
  })
})
