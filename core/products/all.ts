/** Every product that can be delivered. A new one is one file and one line here. */
import { Effect } from "effect"
import { competitiveLandscape } from "./competitiveLandscape.ts"
import { depinNetworks } from "./depinNetworks.ts"
import { depinProvenance } from "./depinProvenance.ts"
import { devVelocity } from "./devVelocity.ts"
import { dilutionRisk } from "./dilutionRisk.ts"
import { gpuSupplyDemand } from "./gpuSupplyDemand.ts"
import { nodeQuality } from "./nodeQuality.ts"
import { product } from "./product.ts"
import { revenueSnapshot } from "./revenueSnapshot.ts"
import { sectorHealth } from "./sectorHealth.ts"

export const products = Effect.all([
  depinNetworks,
  depinProvenance,
  product("depin_revenue_snapshot", () => revenueSnapshot, { holds: ({ networks }) => networks.length > 0 }),
  product("node_quality_score", () => nodeQuality, { holds: ({ networks }) => networks.length > 0 }),
  product("dilution_risk_map", () => dilutionRisk, { holds: ({ networks }) => networks.length > 0 }),
  product("dev_velocity", () => devVelocity, { holds: ({ networks }) => networks.length > 0 }),
  product("competitive_landscape", () => competitiveLandscape, {
    holds: ({ categories }) => categories.some(({ n_measured }) => n_measured > 0)
  }),
  product("sector_health_index", () => sectorHealth, {
    holds: ({ categories }) =>
      categories.some(({ components }) => components.some(({ n, value }) => n > 0 && value !== 0))
  }),
  product("gpu_supply_demand", () => gpuSupplyDemand, {
    holds: ({ devices, networks }) => devices.length > 0 || networks.length > 0
  })
])
