/** `depin_provenance`: every network in the paid `/v1/supply`, each value with its source, time and URL. */
import { Effect } from "effect"
import type { Product } from "../credits/Product.ts"
import type { Access } from "../data/read/Access.ts"
import type { Current } from "../data/read/Current.ts"
import { supplyList } from "../data/read/supply.ts"
import type { Versions } from "../data/read/Versions.ts"
import type { SupplyListResponse } from "../wire/data/supply.ts"
import { ProductUnavailable } from "../wire/problems/purchases.ts"
import type { Methodology } from "../wire/products/payload.ts"
import { about, ofValues, telemetry } from "./coverage.ts"

const bought: Access = {
  breadth: "all",
  historyDays: null,
  note: "A purchased snapshot: every network covered by /v1/supply."
}

const methodology: Methodology = {
  formula:
    "none: the latest accepted reading of every first-party series, as the upstream at verify_url returned it",
  fields: ["every metric of tier supply_telemetry"],
  rules: ["Nothing is interpolated. Series that are not measured are absent."]
}

export const depinProvenance: Effect.Effect<Product, never, Current | Versions> = Effect.gen(function* () {
  const context = yield* Effect.context<Current | Versions>()
  const build = Effect.gen(function* () {
    const first = yield* supplyList({ access: bought })
    const supply = [...first.supply]
    let last: SupplyListResponse = first
    while (last.next_cursor !== undefined) {
      last = yield* supplyList({ access: bought, cursor: last.next_cursor })
      supply.push(...last.supply)
    }
    if (supply.length === 0) {
      return yield* new ProductUnavailable({
        product_key: "depin_provenance",
        message: "depin_provenance is not available yet: no network has been measured. Nothing was charged."
      })
    }
    const { next_cursor: _, ...whole } = first
    return {
      ...whole,
      supply,
      n_networks_shown: new Set(supply.map(({ symbol }) => symbol)).size,
      methodology
    }
  })
  return {
    key: "depin_provenance",
    covers: Effect.provide(ofValues(telemetry, about.all), context),
    build: () => build.pipe(Effect.provide(context), Effect.catchTag("BadParameter", Effect.die))
  }
})
