/** Runs as the collector hands them over, for tests of what comes after it. */
import { createHash } from "node:crypto"
import { zstdCompressSync } from "node:zlib"
import { Effect, Layer } from "effect"
import type { Manifest, Terms } from "../../core/plugin/Manifest.ts"
import { isoTime, type Observation } from "../../core/plugin/Value.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"

/** A feed that emits two metrics of two networks. */
export const manifest: Manifest = {
  id: "testnet",
  title: "A network for tests",
  covers: { networks: ["FIL", "STORJ"] },
  tier: "supply_telemetry",
  source: "test_feed",
  hosts: ["stats.example.net"],
  every: "15 minutes",
  grade: "K",
  owner: "tests",
  metrics: {
    // Larger than any count: tests write numbers that doubles round.
    nodes_online: { unit: "count", min: 0, max: 1e24, meaning: "Nodes that answer.", role: "headline" },
    price_change_24h_pct: { unit: "pct", meaning: "Relative change of the price." }
  }
}

/** The feed alone, over other networks and metrics where the test says so. */
export const feedsOf = (networks: ReadonlyArray<string>, metrics: Manifest["metrics"] = manifest.metrics) =>
  Layer.succeed(
    Feeds,
    Feeds.of({
      manifests: [{ ...manifest, covers: { networks }, metrics }],
      states: Effect.succeed(new Map())
    })
  )

export const feeds = feedsOf(["FIL", "STORJ"])

/** The feed under the terms of the moment. */
export const feedsUnder = (terms: () => Terms) =>
  Layer.succeed(Feeds, {
    get manifests() {
      return [{ ...manifest, terms: terms() }]
    },
    states: Effect.succeed(new Map())
  })

/** One row of `manifest`. */
export const row = (value: number, as_of: string, over: Partial<Observation> = {}): Observation => ({
  symbol: "FIL",
  metric: "nodes_online",
  value,
  unit: "count",
  source: "test_feed",
  verify_url: "https://stats.example.net/v1/nodes",
  as_of,
  ...over
})

let runs = 0

/** A run that read one body and gave these rows, finished at `at` (epoch milliseconds). */
export const delivery = (
  at: number,
  observations: ReadonlyArray<Observation>,
  plugin = "testnet"
): Delivery => {
  const body = Buffer.from(JSON.stringify(observations.map(({ value }) => value)))
  const sha256 = createHash("sha256").update(body).digest("hex")
  const targets = Buffer.from("[]")
  const targets_sha256 = createHash("sha256").update(targets).digest("hex")
  return {
    run: {
      id: `run-${String(++runs).padStart(8, "0")}`,
      plugin,
      started: isoTime(at - 1000),
      finished: isoTime(at),
      now: isoTime(at - 1000),
      code_hash: "0".repeat(64),
      targets_sha256,
      settings: {},
      status: "ok",
      exchanges: [
        {
          n: 0,
          method: "GET",
          url: "https://stats.example.net/v1/nodes",
          at: isoTime(at),
          status: 200,
          headers: {},
          sha256,
          size: body.length,
          confirmed: false
        }
      ],
      observations,
      refused: []
    },
    bodies: new Map([
      [sha256, zstdCompressSync(body)],
      [targets_sha256, zstdCompressSync(targets)]
    ])
  }
}
