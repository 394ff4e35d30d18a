/**
 * Latest rows in memory: 100,000 series of 10,000 symbols, of which 1,000 values per second change for twenty seconds, a
 * hundred at a time, and after each the lists are read. The peer is the same over 1,000 series: what a change costs must
 * not depend on how many series there are. Alone: `npx node test/bench/current.ts`.
 */
import { Effect, Layer, Logger } from "effect"
import { Current, type LatestRow } from "../../core/readings/read/Current.ts"
import { listing } from "../../core/readings/read/listing.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"
import { median, type Row, rounded } from "./row.ts"

const seconds = 20
const runs = 10
const changesOfRun = 100
const metrics = 10

const rowOf = (series: number, value: number): LatestRow => ({
  series,
  symbol: `SYMBOL${Math.floor(series / metrics)}`,
  metric: `metric_${series % metrics}`,
  source: "bench",
  plugin: "bench",
  tier: "supply_telemetry",
  unit: "count",
  value,
  value_text: null,
  verify_url: "https://upstream.example/api/v1/providers",
  as_of: new Date(Date.UTC(2026, 8, 5)),
  confirmed_at: new Date(Date.UTC(2026, 8, 5)),
  simulated: false
})

/** Milliseconds that the changes of one second take, the median of all seconds. */
const costOf = Effect.fnUntraced(
  function* (count: number) {
    const current = yield* Current
    yield* current.apply(Array.from({ length: count }, (_, series) => rowOf(series, 0)))
    const took: Array<number> = []
    for (let second = 0; second < seconds; second++) {
      const start = performance.now()
      for (let run = 0; run < runs; run++) {
        const first = (second * runs + run) * changesOfRun * 7
        yield* current.apply(
          Array.from({ length: changesOfRun }, (_, n) => rowOf((first + n * 7) % count, second + 1))
        )
        const { bySymbol } = yield* listing
        if (bySymbol.size !== count / metrics) return yield* Effect.die("rows are missing")
      }
      took.push(performance.now() - start)
    }
    return median(took)
  },
  Effect.provide(Layer.fresh(Current.layer))
)

const work = Effect.gen(function* () {
  yield* migrate
  const small = yield* costOf(1000)
  const large = yield* costOf(100_000)
  const row: Row = {
    what: "1,000 changes and 10 reads of the lists, 100,000 series beside 1,000",
    value: rounded(large),
    unit: "ms",
    peer: rounded(small),
    ratio: rounded(large / small),
    aim: "<= 50 ms",
    met: large <= 50
  }
  return [row]
}).pipe(Effect.provide(Pglite.layer({})))

export const run = (): Promise<ReadonlyArray<Row>> =>
  Effect.runPromise(Effect.provide(Effect.orDie(work), Logger.layer([])))

if (import.meta.main) {
  console.table(await run())
  process.exit()
}
