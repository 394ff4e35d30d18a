/** `depin_intel_bundle`: eight products in one. */
import { Schema } from "effect"
import { head } from "../../wire/products/payload.ts"
import { CompetitiveLandscape } from "../competitive_landscape/definition.ts"
import { define } from "../definition.ts"
import { AiIntel } from "../depin_ai_intel/definition.ts"
import { DevVelocity } from "../dev_velocity/definition.ts"
import { DilutionRisk } from "../dilution_risk_map/definition.ts"
import { GeoConcentration } from "../geo_concentration/definition.ts"
import { GpuSupplyDemand } from "../gpu_supply_demand/definition.ts"
import { NodeQuality } from "../node_quality_score/definition.ts"
import { SectorHealth } from "../sector_health_index/definition.ts"

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

export default define({
  key: "depin_intel_bundle",
  title: "DePIN intel bundle",
  schema: IntelBundle,
  sale: {
    content:
      "Node quality, dilution, GPU, sector health, geo, dev velocity, competitive landscape and the analyses",
    free: "Free: the figures at /v1/network/{symbol} and /v1/market. Sold: what is made of them.",
    price: "29.99",
    perQuery: true,
    written: true
  },
  view: {
    path: "/v1/intel",
    title: "Analyses by network",
    capability: "engines",
    section: "Engines"
  }
})
