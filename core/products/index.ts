/** Every product and view. To add one, write its folder and list its definition here, and what makes it in `builds.ts`. */
import { Array as Arr, Schema } from "effect"
import changes from "./changes/definition.ts"
import compare from "./compare/definition.ts"
import competitiveLandscape from "./competitive_landscape/definition.ts"
import correlations from "./correlations/definition.ts"
import cryptoIndicators from "./crypto_indicators/definition.ts"
import dagManifold30d from "./dag_manifold_30d/definition.ts"
import type { Definition, Sale, Sold, View, Withdrawn } from "./definition.ts"
import depinAiIntel from "./depin_ai_intel/definition.ts"
import depinEnrichment from "./depin_enrichment/definition.ts"
import depinGrades from "./depin_grades/definition.ts"
import depinHealthProfile from "./depin_health_profile/definition.ts"
import depinHistory from "./depin_history/definition.ts"
import depinIntelBundle from "./depin_intel_bundle/definition.ts"
import depinNetworks from "./depin_networks/definition.ts"
import depinProvenance from "./depin_provenance/definition.ts"
import depinRevenueSnapshot from "./depin_revenue_snapshot/definition.ts"
import derivationReplay from "./derivation_replay/definition.ts"
import devVelocity from "./dev_velocity/definition.ts"
import digest from "./digest/definition.ts"
import dilutionRiskMap from "./dilution_risk_map/definition.ts"
import divergence from "./divergence/definition.ts"
import geoConcentration from "./geo_concentration/definition.ts"
import gpuSupplyDemand from "./gpu_supply_demand/definition.ts"
import leadLagCorrelations from "./lead_lag_correlations/definition.ts"
import marketRegime from "./market_regime/definition.ts"
import nodeQualityScore from "./node_quality_score/definition.ts"
import sectorHealthIndex from "./sector_health_index/definition.ts"
import signalLedger from "./signal_ledger/definition.ts"

const nonEmpty = <A>(all: ReadonlyArray<A>): Arr.NonEmptyReadonlyArray<A> => {
  if (Arr.isReadonlyArrayNonEmpty(all)) return all
  throw new Error("nothing is listed")
}

/** In the order of the price list; what is only viewed comes last. */
export const definitions = [
  depinProvenance,
  depinNetworks,
  depinRevenueSnapshot,
  derivationReplay,
  depinEnrichment,
  depinHealthProfile,
  nodeQualityScore,
  dilutionRiskMap,
  sectorHealthIndex,
  geoConcentration,
  devVelocity,
  cryptoIndicators,
  leadLagCorrelations,
  depinHistory,
  gpuSupplyDemand,
  competitiveLandscape,
  signalLedger,
  depinAiIntel,
  marketRegime,
  depinIntelBundle,
  depinGrades,
  dagManifold30d,
  compare,
  digest,
  changes,
  correlations,
  divergence
] as const

type Listed = (typeof definitions)[number]

/** The definition of something that is sold. */
export type ProductDefinition = Extract<Listed, { readonly sale: Sale }>
/** The definition of something that a tier can GET. */
export type ViewDefinition = Extract<Listed, { readonly view: View }>

export const productDefinitions = definitions.filter((definition) => "sale" in definition)
export const viewDefinitions = nonEmpty(definitions.filter((definition) => "view" in definition))

export type ProductKey = ProductDefinition["key"]
export const productKeys: ReadonlyArray<ProductKey> = productDefinitions.map(({ key }) => key)
export const ProductKey = Schema.Literals(productKeys)

/** Every definition by its key; typed as what each may have. */
const byKey: ReadonlyMap<string, Definition> = new Map(definitions.map((one) => [one.key, one]))

/** The sold product of this key. */
export const productOf = (key: ProductKey): Sold | Withdrawn => {
  const definition = byKey.get(key)
  if (definition?.sale === undefined) throw new Error(`${key} is not sold`)
  return definition
}

/** The keys of what is also sold per request without an account. */
export const soldPerRequest: ReadonlyArray<ProductKey> = productKeys.filter(
  (key) => productOf(key).sale.perRequest === true
)

/** The GET with the same content as a product, if there is one. */
export const restOf = (key: ProductKey): string | undefined => {
  const { sale, view } = productOf(key)
  return view === undefined ? sale.sameAs : view.path
}
