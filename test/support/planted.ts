/** A feed under terms, with a figure of its own for each series and day, and the days on which it reads them. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import type { Manifest, Terms } from "../../core/plugin/Manifest.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "./runs.ts"
import { manifest } from "./service.ts"

const usd = { unit: "usd", meaning: "A figure for tests." } as const

const plantedMetrics: Manifest["metrics"] = {
  nodes_online: { unit: "count", meaning: "Nodes for tests." },
  price_usd: usd,
  market_cap_usd: usd,
  fully_diluted_valuation_usd: usd,
  fees_24h_usd: usd,
  tvl_usd: usd,
  holders_count: { unit: "count", meaning: "Holders for tests." }
}

/** The feed under these terms. */
export const plantedFeed = (terms: Terms): Manifest => ({
  ...manifest,
  id: "barred",
  source: "barred",
  covers: { networks: ["GEOD", "FIL"] },
  metrics: plantedMetrics,
  terms
})
export const metrics = Object.keys(plantedMetrics)
const day = 86_400_000
const first = Date.UTC(2026, 8, 1, 10)
export const days = 4

/** A figure of its own for each series and day, which nothing else can be by accident. */
export const figure = (metric: string, symbol: string, n: number): number =>
  71_300_019 + 1_000_003 * metrics.indexOf(metric) + (symbol === "FIL" ? 500_009 : 0) + 10_007 * n

const planted = metrics.flatMap((metric) =>
  ["GEOD", "FIL"].flatMap((symbol) => Array.from({ length: days }, (_, n) => figure(metric, symbol, n)))
)

/** The planted figures that a text has, with or without marks between their digits. */
export const leaksIn = (text: string): ReadonlyArray<number> => {
  const plain = text.replaceAll(/(?<=\d)[,\u202f\u00a0](?=\d{3})/g, "")
  return planted.filter((value) => plain.includes(String(value)))
}

/** The feed reads both networks on each of the days, all but the last of which are closed. */
export const played = Effect.gen(function* () {
  const ingest = yield* Ingest
  for (let n = 0; n < days; n++) {
    const at = first + n * day
    yield* TestClock.setTime(at + day / 12)
    const as_of = new Date(at).toISOString()
    const rows = ["GEOD", "FIL"].flatMap((symbol) =>
      metrics.map((metric) =>
        Runs.row(figure(metric, symbol, n), as_of, {
          symbol,
          metric,
          source: "barred",
          unit: plantedMetrics[metric]?.unit ?? "count"
        })
      )
    )
    yield* ingest.write(Runs.delivery(at, rows, "barred"))
    const own = Runs.row(4711 + n, as_of, { metric: "active_storage_providers", source: manifest.source })
    yield* ingest.write(Runs.delivery(at, [own], manifest.id))
    if (n < days - 1) {
      yield* TestClock.setTime(at + (5 * day) / 6)
      yield* (yield* DailyClose).run
    }
  }
})
