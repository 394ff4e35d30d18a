/** `depin_intel_bundle`: eight products in one. */
import { Schema } from "effect"
import { AiIntel } from "./aiIntel.ts"
import { CompetitiveLandscape } from "./competitiveLandscape.ts"
import { DevVelocity } from "./devVelocity.ts"
import { DilutionRisk } from "./dilutionRisk.ts"
import { GeoConcentration } from "./geoConcentration.ts"
import { GpuSupplyDemand } from "./gpuSupplyDemand.ts"
import { NodeQuality } from "./nodeQuality.ts"
import { head } from "./payload.ts"
import { SectorHealth } from "./sectorHealth.ts"

export const IntelBundle = Schema.Struct({
  ...head,
  node_quality: NodeQuality,
  dilution_risk: DilutionRisk,
  gpu_supply_demand: GpuSupplyDemand,
  sector_health: SectorHealth,
  geo_concentration: GeoConcentration,
  dev_velocity: DevVelocity,
  competitive_landscape: CompetitiveLandscape,
  ai_intel: AiIntel
}).annotate({ identifier: "IntelBundle", description: "Eight products in one" })
export interface IntelBundle extends Schema.Schema.Type<typeof IntelBundle> {}
