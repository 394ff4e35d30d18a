/** What each product delivers, as schemas: the OpenAPI description shows them, and a test holds every payload to its own. */
import type { Schema } from "effect"
import type { ProductKey } from "../credits/pricing.ts"
import { CompetitiveLandscape } from "./competitiveLandscape.ts"
import { DepinNetworks } from "./depinNetworks.ts"
import { DepinProvenance } from "./depinProvenance.ts"
import { DevVelocity } from "./devVelocity.ts"
import { DilutionRisk } from "./dilutionRisk.ts"
import { GpuSupplyDemand } from "./gpuSupplyDemand.ts"
import { NodeQuality } from "./nodeQuality.ts"
import { RevenueSnapshot } from "./revenueSnapshot.ts"
import { SectorHealth } from "./sectorHealth.ts"

export const payloads: { readonly [K in ProductKey]?: Schema.Codec<unknown, unknown> } = {
  depin_provenance: DepinProvenance,
  depin_networks: DepinNetworks,
  depin_revenue_snapshot: RevenueSnapshot,
  node_quality_score: NodeQuality,
  dilution_risk_map: DilutionRisk,
  sector_health_index: SectorHealth,
  dev_velocity: DevVelocity,
  gpu_supply_demand: GpuSupplyDemand,
  competitive_landscape: CompetitiveLandscape
}
