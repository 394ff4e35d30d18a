/** The payload schema of each product. The OpenAPI description shows them, and a test checks every payload against its own. */
import type { Schema } from "effect"
import { AiIntel } from "./aiIntel.ts"
import { CompetitiveLandscape } from "./competitiveLandscape.ts"
import { DagManifold } from "./dagManifold.ts"
import { DepinHistory } from "./depinHistory.ts"
import { DepinNetworks } from "./depinNetworks.ts"
import { DepinProvenance } from "./depinProvenance.ts"
import { DerivationReplay } from "./derivationReplay.ts"
import { DevVelocity } from "./devVelocity.ts"
import { DilutionRisk } from "./dilutionRisk.ts"
import { Enrichment } from "./enrichment.ts"
import { GeoConcentration } from "./geoConcentration.ts"
import { GpuSupplyDemand } from "./gpuSupplyDemand.ts"
import { HealthProfile } from "./healthProfile.ts"
import { CryptoIndicators } from "./indicators.ts"
import { IntelBundle } from "./intelBundle.ts"
import type { ProductKey } from "./keys.ts"
import { LeadLag } from "./leadLag.ts"
import { MarketRegime } from "./marketRegime.ts"
import { NodeQuality } from "./nodeQuality.ts"
import { RevenueSnapshot } from "./revenueSnapshot.ts"
import { SectorHealth } from "./sectorHealth.ts"
import { SignalLedger } from "./signalLedger.ts"

export const payloads: { readonly [K in ProductKey]?: Schema.Codec<unknown, unknown> } = {
  depin_provenance: DepinProvenance,
  depin_networks: DepinNetworks,
  depin_revenue_snapshot: RevenueSnapshot,
  node_quality_score: NodeQuality,
  dilution_risk_map: DilutionRisk,
  sector_health_index: SectorHealth,
  dev_velocity: DevVelocity,
  gpu_supply_demand: GpuSupplyDemand,
  competitive_landscape: CompetitiveLandscape,
  derivation_replay: DerivationReplay,
  depin_enrichment: Enrichment,
  depin_health_profile: HealthProfile,
  geo_concentration: GeoConcentration,
  crypto_indicators: CryptoIndicators,
  lead_lag_correlations: LeadLag,
  depin_history: DepinHistory,
  signal_ledger: SignalLedger,
  depin_ai_intel: AiIntel,
  market_regime: MarketRegime,
  depin_intel_bundle: IntelBundle,
  dag_manifold_30d: DagManifold
}
