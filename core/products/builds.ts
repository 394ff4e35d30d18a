/** What makes each product and view of `index.ts`. */
import { Effect } from "effect"
import changes from "./changes/build.ts"
import compare from "./compare/build.ts"
import competitiveLandscape from "./competitive_landscape/build.ts"
import correlations from "./correlations/build.ts"
import cryptoIndicators from "./crypto_indicators/build.ts"
import dagManifold30d from "./dag_manifold_30d/build.ts"
import type { Sale, View, Withdrawn } from "./definition.ts"
import depinAiIntel from "./depin_ai_intel/build.ts"
import depinEnrichment from "./depin_enrichment/build.ts"
import depinHealthProfile from "./depin_health_profile/build.ts"
import depinHistory from "./depin_history/build.ts"
import depinIntelBundle from "./depin_intel_bundle/build.ts"
import depinNetworks from "./depin_networks/build.ts"
import depinProvenance from "./depin_provenance/build.ts"
import depinRevenueSnapshot from "./depin_revenue_snapshot/build.ts"
import derivationReplay from "./derivation_replay/build.ts"
import devVelocity from "./dev_velocity/build.ts"
import digest from "./digest/build.ts"
import dilutionRiskMap from "./dilution_risk_map/build.ts"
import divergence from "./divergence/build.ts"
import geoConcentration from "./geo_concentration/build.ts"
import gpuSupplyDemand from "./gpu_supply_demand/build.ts"
import type { definitions } from "./index.ts"
import leadLagCorrelations from "./lead_lag_correlations/build.ts"
import marketRegime from "./market_regime/build.ts"
import nodeQualityScore from "./node_quality_score/build.ts"
import sectorHealthIndex from "./sector_health_index/build.ts"
import signalLedger from "./signal_ledger/build.ts"

/** By key: every definition that is not withdrawn must be here. */
const builds = {
  depin_provenance: depinProvenance,
  depin_networks: depinNetworks,
  depin_revenue_snapshot: depinRevenueSnapshot,
  derivation_replay: derivationReplay,
  depin_enrichment: depinEnrichment,
  depin_health_profile: depinHealthProfile,
  node_quality_score: nodeQualityScore,
  dilution_risk_map: dilutionRiskMap,
  sector_health_index: sectorHealthIndex,
  geo_concentration: geoConcentration,
  dev_velocity: devVelocity,
  crypto_indicators: cryptoIndicators,
  lead_lag_correlations: leadLagCorrelations,
  depin_history: depinHistory,
  gpu_supply_demand: gpuSupplyDemand,
  competitive_landscape: competitiveLandscape,
  signal_ledger: signalLedger,
  depin_ai_intel: depinAiIntel,
  market_regime: marketRegime,
  depin_intel_bundle: depinIntelBundle,
  dag_manifold_30d: dagManifold30d,
  compare,
  digest,
  changes,
  correlations,
  divergence
} satisfies { readonly [D in Buildable as D["key"]]: Build<D> }

type Buildable = Exclude<(typeof definitions)[number], Withdrawn>

/** A definition that is sold has a sale, and one that a tier can GET has a view. */
type Build<D> = (D extends { readonly sale: Sale } ? { readonly sale: object } : unknown) &
  (D extends { readonly view: View } ? { readonly view: object } : unknown)

type Built = (typeof builds)[keyof typeof builds]

const sales = Object.values(builds).flatMap(
  (build): ReadonlyArray<Extract<Built, { readonly sale: unknown }>["sale"]> =>
    "sale" in build ? [build.sale] : []
)

export const products = Effect.all(sales)

/** HTTP and MCP both read this list, so neither can grant access that the other denies. */
export const views = Object.values(builds).flatMap(
  (build): ReadonlyArray<Extract<Built, { readonly view: unknown }>["view"]> =>
    "view" in build ? [build.view] : []
)
