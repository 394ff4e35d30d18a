/** `depin_intel_bundle`: eight products in one. */
import { Effect } from "effect"
import type { IntelBundle } from "../wire/products/intelBundle.ts"
import { aiIntel } from "./aiIntel.ts"
import { competitiveLandscape } from "./competitiveLandscape.ts"
import { devVelocity } from "./devVelocity.ts"
import { dilutionRisk } from "./dilutionRisk.ts"
import { geoConcentration } from "./geoConcentration.ts"
import { gpuSupplyDemand } from "./gpuSupplyDemand.ts"
import { readings } from "./inputs.ts"
import { nodeQuality } from "./nodeQuality.ts"
import { sectorHealth } from "./sectorHealth.ts"

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
      formula: "the eight products as sold separately, computed from one snapshot",
      fields: [...new Set(Object.values(parts).flatMap(({ methodology }) => methodology.fields))],
      rules: ["Each part documents its own method."]
    }
  } satisfies IntelBundle
})
