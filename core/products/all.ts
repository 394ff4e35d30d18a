/** Every product that can be delivered. To add one, write its file and list it here. */
import { Effect } from "effect"
import type { CurrentRow } from "../data/read/Current.ts"
import { aiIntel } from "./aiIntel.ts"
import type { Interval } from "./bars.ts"
import { competitiveLandscape } from "./competitiveLandscape.ts"
import { about, ofAnalyses, ofHistory, ofValues } from "./coverage.ts"
import { dagManifold } from "./dagManifold.ts"
import { product } from "./define.ts"
import { depinHistory } from "./depinHistory.ts"
import { depinNetworks } from "./depinNetworks.ts"
import { depinProvenance } from "./depinProvenance.ts"
import { derivationReplay, replayCoverage } from "./derivationReplay.ts"
import { devVelocity } from "./devVelocity.ts"
import { dilutionRisk } from "./dilutionRisk.ts"
import { enrichment } from "./enrichment.ts"
import { geoConcentration } from "./geoConcentration.ts"
import { gpuSupplyDemand } from "./gpuSupplyDemand.ts"
import { healthProfile, ProfiledNetwork } from "./healthProfile.ts"
import { cryptoIndicators } from "./indicators.ts"
import { intelBundle } from "./intelBundle.ts"
import { leadLag } from "./leadLag.ts"
import { marketRegime } from "./marketRegime.ts"
import { nodeCounts, nodeQuality } from "./nodeQuality.ts"
import { revenueSnapshot } from "./revenueSnapshot.ts"
import { sectorHealth } from "./sectorHealth.ts"
import { signalCoverage, signalLedger } from "./signalLedger.ts"

/** True for the price bars of an interval. */
const isBar =
  (interval: Interval) =>
  ({ row }: CurrentRow): boolean =>
    row.metric.startsWith(`ohlcv_${interval}_`)

export const products = Effect.all([
  depinNetworks,
  depinProvenance,
  product("depin_revenue_snapshot", () => revenueSnapshot, {
    covers: ofValues(
      ["fees_24h_usd", "fees_7d_usd", "fees_30d_usd", "tvl_usd", "staking_tvl_usd"],
      about.all
    ),
    holds: ({ networks }) => networks.length > 0
  }),
  product("node_quality_score", () => nodeQuality, {
    covers: ofValues(nodeCounts),
    holds: ({ networks }) => networks.length > 0
  }),
  product("dilution_risk_map", () => dilutionRisk, {
    covers: ofValues(["fully_diluted_valuation_usd", "market_cap_usd"]),
    holds: ({ networks }) => networks.length > 0
  }),
  product("dev_velocity", () => devVelocity, {
    covers: ofValues(({ row }) => row.metric.startsWith("dev_")),
    holds: ({ networks }) => networks.length > 0
  }),
  product("competitive_landscape", () => competitiveLandscape, {
    covers: ofValues(["market_cap_usd"]),
    holds: ({ categories }) => categories.some(({ n_measured }) => n_measured > 0)
  }),
  product("sector_health_index", () => sectorHealth, {
    covers: ofValues(() => true),
    holds: ({ categories }) =>
      categories.some(({ components }) => components.some(({ n, value }) => n > 0 && value !== 0))
  }),
  product("gpu_supply_demand", () => gpuSupplyDemand, {
    covers: ofValues(({ row }) => row.metric.includes("gpu_")),
    holds: ({ devices, networks }) => devices.length > 0 || networks.length > 0
  }),
  product("derivation_replay", ({ inputs }) => derivationReplay(inputs), {
    covers: replayCoverage,
    holds: ({ n_delivered }) => n_delivered > 0
  }),
  product("depin_enrichment", () => enrichment, {
    covers: ofValues(() => true, about.all),
    holds: ({ records }) => records.length > 0
  }),
  product("depin_health_profile", () => Effect.flatMap(ProfiledNetwork, healthProfile), {
    covers: Effect.flatMap(ProfiledNetwork, (symbol) => ofValues(() => true, new Set([symbol]))),
    holds: ({ live_series }) => live_series > 0
  }),
  product("geo_concentration", () => geoConcentration, {
    covers: ofValues(({ row }) => row.metric.startsWith("nodes_country_")),
    holds: ({ networks }) => networks.length > 0
  }),
  product("crypto_indicators", () => cryptoIndicators, {
    covers: ofValues(isBar("1h"), about.all),
    holds: ({ assets }) => assets.length > 0
  }),
  product("lead_lag_correlations", () => leadLag, {
    covers: ofValues(isBar("1h"), about.all),
    holds: ({ correlations }) => correlations.length > 0
  }),
  product("depin_history", ({ inputs }) => depinHistory(inputs), {
    covers: ofHistory,
    holds: ({ series }) => series.length > 0
  }),
  product("signal_ledger", ({ inputs }) => signalLedger({ limit: 500, ...inputs }), {
    covers: signalCoverage,
    holds: ({ head }) => head !== null
  }),
  product("depin_ai_intel", () => aiIntel, {
    covers: ofAnalyses,
    holds: ({ networks }) => networks.length > 0
  }),
  product("market_regime", () => marketRegime, {
    covers: ofValues(isBar("1d"), about.all),
    holds: ({ probabilities }) => probabilities !== null
  }),
  product("depin_intel_bundle", () => intelBundle, {
    covers: ofAnalyses,
    holds: ({ ai_intel, competitive_landscape }) =>
      ai_intel.networks.length > 0 ||
      competitive_landscape.categories.some(({ n_measured }) => n_measured > 0)
  }),
  dagManifold
])
