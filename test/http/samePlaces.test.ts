/** A figure that stands in more than one place is the same in all of them: on a dozen pages and in the API. */
import { assert, layer, it as plain } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "../support/runs.ts"
import { different, samePlaces } from "../support/samePlaces.ts"
import { manifest, Service } from "../support/service.ts"

const day = 86_400_000
const hour = 3_600_000
const today = Date.UTC(2026, 8, 5)

const telemetry = {
  ...manifest,
  covers: { networks: ["FIL", "STORJ", "BTC", "SN1"] },
  metrics: {
    active_storage_providers: { unit: "count", min: 0, meaning: "Providers with power.", role: "headline" }
  }
} as const

const market = {
  ...manifest,
  id: "market",
  source: "market",
  tier: "market",
  covers: { catalog: "coingecko_id" },
  metrics: {
    price_usd: { unit: "usd", min: 0, meaning: "Price." },
    market_cap_usd: { unit: "usd", min: 0, meaning: "Market value." }
  }
} as const

/** Rows of three networks with telemetry, and of one with a price alone. */
const rowsAt = (at: number, step: number) => {
  const as_of = isoTime(at)
  const of = (symbol: string, metric: string, value: number, more = {}) =>
    Runs.row(value, as_of, { symbol, metric, source: "made-up", ...more })
  const priced = { unit: "usd", source: "market" } as const
  return {
    telemetry: [
      of("FIL", "active_storage_providers", 900 + 7 * step),
      of("STORJ", "active_storage_providers", 500 + step),
      of("BTC", "active_storage_providers", 5),
      of("SN1", "active_storage_providers", 6)
    ],
    market: ["FIL", "STORJ", "AR"].flatMap((symbol, n) => [
      of(symbol, "price_usd", (n + 2.5) * (1 + step / 100), priced),
      of(symbol, "market_cap_usd", Math.round((n + 2.5) * (1 + step / 100) * 1e9), priced)
    ])
  }
}

layer(Service.layer({ manifests: [telemetry, market], mode: "replay" }))(
  "figures in several places",
  (it) => {
    it.effect("are the same", () =>
      Effect.gen(function* () {
        const ingest = yield* Ingest
        for (let back = 5; back >= 0; back--) {
          const midnight = today - back * day
          // A day of which STORJ has no reading: absent.
          const readings = rowsAt(midnight + hour, 5 - back)
          yield* TestClock.setTime(midnight + 2 * hour)
          const present = readings.telemetry.filter(({ symbol }) => back !== 2 || symbol !== "STORJ")
          yield* ingest.write(Runs.delivery(midnight + 2 * hour, present, "made-up"))
          yield* ingest.write(Runs.delivery(midnight + 2 * hour, readings.market, "market"))
          yield* TestClock.setTime(midnight + 8 * hour)
          yield* (yield* DailyClose).run
        }
        yield* TestClock.setTime(today + 12 * hour)
        const service = yield* Service
        const places = yield* Effect.promise(() =>
          samePlaces(
            (path) =>
              Effect.runPromise(
                Effect.map(
                  service.call({
                    path,
                    headers: { accept: path.startsWith("/v1") ? "application/json" : "text/html" }
                  }),
                  ({ body }) => body.toString("utf8")
                )
              ),
            [
              {
                symbol: "FIL",
                name: "Filecoin",
                category: "storage",
                headline: "active_storage_providers"
              },
              {
                symbol: "STORJ",
                name: "Storj",
                category: "storage",
                headline: "active_storage_providers"
              }
            ]
          )
        )
        assert.deepStrictEqual(different(places), [])
        const only = (figure: string) => [...new Set(places.get(figure)?.values())]
        assert.deepStrictEqual(only("networks with telemetry of their own"), ["2"])
        assert.deepStrictEqual(only("live series"), ["10"])
        assert.deepStrictEqual(only("values sealed"), ["10"])
        assert.deepStrictEqual(only("active_storage_providers of Filecoin"), ["935"])
        assert.deepStrictEqual(only("change of active_storage_providers of Filecoin"), ["+3.1 %"])
        assert.isAbove(
          [...places.values()].reduce((sum, { size }) => sum + size, 0),
          70
        )
      })
    )
  }
)

plain("a figure that differs, or that a place lacks, is named", () => {
  const of = (...texts: ReadonlyArray<string | undefined>) =>
    new Map([["n", new Map(texts.map((text, place) => [`${place}`, text]))]])
  assert.deepStrictEqual(different(of("1", "1")), [])
  assert.deepStrictEqual(different(of("1", "2")), ["n: 1 (0), 2 (1)"])
  assert.deepStrictEqual(different(of("1", undefined)), ["n: 1 (0), undefined (1)"])
  assert.deepStrictEqual(different(of(undefined, undefined)), ["n: undefined (0), undefined (1)"])
})
