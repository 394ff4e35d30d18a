/** `depin_intel_bundle`: eight products in one. */
import { Effect } from "effect"
import { soldAndViewed } from "../build.ts"
import { competitiveLandscape } from "../competitive_landscape/build.ts"
import { aiIntel } from "../depin_ai_intel/build.ts"
import { devVelocity } from "../dev_velocity/build.ts"
import { dilutionRisk } from "../dilution_risk_map/build.ts"
import { geoConcentration } from "../geo_concentration/build.ts"
import { gpuSupplyDemand } from "../gpu_supply_demand/build.ts"
import { nodeQuality } from "../node_quality_score/build.ts"
import { sectorHealth } from "../sector_health_index/build.ts"
import { ofAnalyses } from "../shared/coverage.ts"
import { readings } from "../shared/inputs.ts"
import definition, { type IntelBundle } from "./definition.ts"

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

export default soldAndViewed(definition, intelBundle, {
  covers: ofAnalyses,
  holds: ({ ai_intel, competitive_landscape }) =>
    ai_intel.networks.length > 0 || competitive_landscape.categories.some(({ n_measured }) => n_measured > 0)
})
