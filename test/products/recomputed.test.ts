/**
 * Every product bought on the demo, and its figures recomputed from the public API alone by programs that share nothing
 * with the code that makes them.
 */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted, References } from "effect"
import * as DataClock from "../../core/clock/DataClock.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { products } from "../../core/products/builds.ts"
import { Signals } from "../../core/publications/Signals.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { player } from "../../runtime/demo/players.ts"
import { produce } from "../../runtime/demo/produce.ts"
import { restated } from "../../runtime/demo/script.ts"
import * as StoreSources from "../../runtime/derivation/storeSources.ts"
import { lastReading, start } from "../../runtime/tape/instants.ts"
import { timeOn } from "../../runtime/tape/tape.ts"
import { grant, register } from "../support/credits.ts"
import { layerPermitted } from "../support/permissions.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import * as Intel from "./recomputed/intel.ts"
import * as Figures from "./recomputed/latestValues.ts"
import * as Lists from "./recomputed/lists.ts"
import * as OverTime from "./recomputed/overTime.ts"
import { clientOf, readWorld, type World } from "./recomputed/world.ts"

const programs: Readonly<Record<string, (world: World) => void | Promise<void>>> = {
  depin_provenance: Lists.provenance,
  depin_networks: Lists.catalog,
  depin_revenue_snapshot: Lists.revenue,
  derivation_replay: Lists.derivation,
  depin_enrichment: Lists.enrichment,
  depin_health_profile: Figures.profile,
  node_quality_score: Figures.nodeQuality,
  dilution_risk_map: Figures.dilution,
  sector_health_index: Figures.sectors,
  geo_concentration: Figures.geography,
  dev_velocity: Figures.development,
  crypto_indicators: OverTime.indicators,
  lead_lag_correlations: OverTime.leadLag,
  depin_history: OverTime.history,
  gpu_supply_demand: Figures.gpus,
  competitive_landscape: Figures.landscape,
  signal_ledger: Lists.signals,
  depin_ai_intel: Intel.analyses,
  market_regime: OverTime.regime,
  depin_intel_bundle: Intel.bundle,
  dag_manifold_30d: OverTime.manifold
}

const plugins = (await Effect.runPromise(Plugins.all())).filter(
  ({ manifest }) => manifest.disabled === undefined
)

/** Plugins that are played on so many days before, too: what history, signals and bars are made of. */
const daily = new Map([
  ["filecoin", 14],
  ["storj", 14],
  ["ohlcv-hourly", 5],
  ["ohlcv-daily", 29]
])
const day = 86_400_000

/** The demo's tape: the last reading of every plugin, and the days before of some. */
const played = Effect.gen(function* () {
  const ingest = yield* Ingest
  for (const plugin of plugins) {
    const { id } = plugin.manifest
    const pluginPlayer = yield* player(plugin)
    const days = daily.get(id) ?? 0
    for (let back = days; back >= 0; back--) {
      const last = timeOn(pluginPlayer.reel, lastReading(plugin.manifest, start))
      const at = back === 0 ? last : start - 5 * 3_600_000 - back * day
      yield* ingest.write(yield* produce(pluginPlayer, at))
    }
    if (id === restated.plugin) {
      yield* ingest.write(yield* produce(pluginPlayer, restated.at, restated.payloadTime))
    }
  }
  // The tape moves by little: a move of supply that is told needs a feed of its own.
  for (const [n, value] of [1000, 1030, 900].entries()) {
    const at = start - 3_600_000 - (3 - n) * day
    yield* ingest.write(Runs.delivery(at, [Runs.row(value, isoTime(at))]))
  }
})

/** The data clock starts where the demo's does. */
const clock = Layer.effect(
  DataClock.offset,
  Effect.map(Clock.currentTimeMillis, (now) => start - now)
)

/** As if all upstreams had allowed everything. */
const asIfAllowed = layerPermitted(
  plugins.map(({ manifest }) => manifest.id),
  ["bulk", "sell", "bodies"]
)

/** Days that are closed are no news here. */
const quiet = Layer.succeed(References.MinimumLogLevel, "Error")

layer(
  StoreSources.layer.pipe(
    Layer.provideMerge(
      Service.layer({
        mode: "replay",
        products,
        manifests: [...plugins.map(({ manifest }) => manifest), Runs.manifest]
      })
    ),
    Layer.provideMerge(Layer.mergeAll(clock, quiet, asIfAllowed))
  ),
  { excludeTestServices: true }
)("on the demo's tape", (it) => {
  it.effect(
    "every product's figures are those of the public API",
    () =>
      Effect.gen(function* () {
        yield* played
        yield* (yield* DailyClose).run
        yield* (yield* Signals).run
        const { port } = yield* Service
        const buyer = yield* register("198.51.100.1")
        yield* grant(buyer.id, 1_000_000_000n, "for every product")
        const world = yield* Effect.promise(() =>
          readWorld(clientOf(`http://127.0.0.1:${port}`), Redacted.value(buyer.key))
        )
        assert.sameMembers(Object.keys(programs), [...world.sold])
        const faults: Array<string> = []
        for (const [key, recompute] of Object.entries(programs)) {
          yield* Effect.promise(async () => recompute(world)).pipe(
            Effect.catchDefect((fault) => Effect.sync(() => faults.push(`${key}: ${fault}`)))
          )
        }
        assert.deepStrictEqual(faults, [])
      }),
    180_000
  )
})
