/** Every product that can be delivered. To add one, write its file and list it here. */
import { Effect } from "effect"
import { aiIntel } from "./aiIntel.ts"
import { competitiveLandscape } from "./competitiveLandscape.ts"
import { dagManifold } from "./dagManifold.ts"
import { product } from "./define.ts"
import { depinHistory } from "./depinHistory.ts"
import { depinNetworks } from "./depinNetworks.ts"
import { depinProvenance } from "./depinProvenance.ts"
import { derivationReplay } from "./derivationReplay.ts"
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
import { nodeQuality } from "./nodeQuality.ts"
import { revenueSnapshot } from "./revenueSnapshot.ts"
import { sectorHealth } from "./sectorHealth.ts"
import { signalLedger } from "./signalLedger.ts"

export const products = Effect.all([
  depinNetworks,
  depinProvenance,
  product("depin_revenue_snapshot", () => revenueSnapshot, { holds: ({ networks }) => networks.length > 0 }),
  product("node_quality_score", () => nodeQuality, { holds: ({ networks }) => networks.length > 0 }),
  product("dilution_risk_map", () => dilutionRisk, { holds: ({ networks }) => networks.length > 0 }),
  product("dev_velocity", () => devVelocity, { holds: ({ networks }) => networks.length > 0 }),
  product("competitive_landscape", () => competitiveLandscape, {
    holds: ({ categories }) => categories.some(({ n_measured }) => n_measured > 0)
  }),
  product("sector_health_index", () => sectorHealth, {
    holds: ({ categories }) =>
      categories.some(({ components }) => components.some(({ n, value }) => n > 0 && value !== 0))
  }),
  product("gpu_supply_demand", () => gpuSupplyDemand, {
    holds: ({ devices, networks }) => devices.length > 0 || networks.length > 0
  }),
  product("derivation_replay", ({ inputs }) => derivationReplay(inputs), {
    holds: ({ n_delivered }) => n_delivered > 0
  }),
  product("depin_enrichment", () => enrichment, { holds: ({ records }) => records.length > 0 }),
  product("depin_health_profile", () => Effect.flatMap(ProfiledNetwork, healthProfile), {
    holds: ({ live_series }) => live_series > 0
  }),
  product("geo_concentration", () => geoConcentration, { holds: ({ networks }) => networks.length > 0 }),
  product("crypto_indicators", () => cryptoIndicators, { holds: ({ assets }) => assets.length > 0 }),
  product("lead_lag_correlations", () => leadLag, { holds: ({ correlations }) => correlations.length > 0 }),
  product("depin_history", ({ inputs }) => depinHistory(inputs), {
    holds: ({ series }) => series.length > 0
  }),
  product("signal_ledger", ({ inputs }) => signalLedger({ limit: 500, ...inputs }), {
    holds: ({ head }) => head !== null
  }),
  product("depin_ai_intel", () => aiIntel, { holds: ({ networks }) => networks.length > 0 }),
  product("market_regime", () => marketRegime, { holds: ({ probabilities }) => probabilities !== null }),
  product("depin_intel_bundle", () => intelBundle, {
    holds: ({ ai_intel, competitive_landscape }) =>
      ai_intel.networks.length > 0 ||
      competitive_landscape.categories.some(({ n_measured }) => n_measured > 0)
  }),
  dagManifold
])
