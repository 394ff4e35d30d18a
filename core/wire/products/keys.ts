/** Product keys. `/v1/credits/pricing` lists their prices and contents. */
import { Schema } from "effect"

/** In the order of the price list. */
export const ProductKey = Schema.Literals([
  "depin_provenance",
  "depin_networks",
  "depin_revenue_snapshot",
  "derivation_replay",
  "depin_enrichment",
  "depin_health_profile",
  "node_quality_score",
  "dilution_risk_map",
  "sector_health_index",
  "geo_concentration",
  "dev_velocity",
  "crypto_indicators",
  "lead_lag_correlations",
  "depin_history",
  "gpu_supply_demand",
  "competitive_landscape",
  "signal_ledger",
  "depin_ai_intel",
  "market_regime",
  "depin_intel_bundle",
  "depin_grades",
  "dag_manifold_30d"
])
export type ProductKey = typeof ProductKey.Type

export const productKeys: ReadonlyArray<ProductKey> = ProductKey.literals

/** Also sold per request without an account, at the same price. */
export const soldPerRequest: ReadonlyArray<ProductKey> = [
  "depin_provenance",
  "depin_networks",
  "depin_revenue_snapshot",
  "node_quality_score",
  "dilution_risk_map",
  "sector_health_index",
  "gpu_supply_demand"
]
