/** `depin_intel_bundle`: eight products in one (spec 2.10). */
import { Effect, Schema } from "effect"
import { AiIntel, aiIntel } from "./aiIntel.ts"
import { CompetitiveLandscape, competitiveLandscape } from "./competitiveLandscape.ts"
import { DevVelocity, devVelocity } from "./devVelocity.ts"
import { DilutionRisk, dilutionRisk } from "./dilutionRisk.ts"
import { GeoConcentration, geoConcentration } from "./geoConcentration.ts"
import { GpuSupplyDemand, gpuSupplyDemand } from "./gpuSupplyDemand.ts"
import { head, readings } from "./inputs.ts"
import { NodeQuality, nodeQuality } from "./nodeQuality.ts"
import { SectorHealth, sectorHealth } from "./sectorHealth.ts"

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

export const intelBundle = Effect.gen(function* () {
  const { generated_utc } = yield* readings
  const parts = {
    node_quality: yield* nodeQuality,
    dilution_risk: yield* dilutionRisk,
    gpu_supply_demand: yield* gpuSupplyDemand,
    sector_health: yield* sectorHealth,
    geo_concentration: yield* geoConcentration,
    dev_velocity: yield* devVelocity,
    competitive_landscape: yield* competitiveLandscape,
    ai_intel: yield* aiIntel
  }
  return {
    generated_utc,
    ...parts,
    methodology: {
      formula: "the eight parts as each is sold alone, made from one state of the data",
      fields: [...new Set(Object.values(parts).flatMap(({ methodology }) => methodology.fields))],
      rules: ["The method of each part stands in the part."]
    }
  } satisfies IntelBundle
})
