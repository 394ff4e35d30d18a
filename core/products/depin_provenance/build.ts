/** `depin_provenance`: every network in the paid `/v1/supply`, each value with its source, time and URL. */
import { Effect } from "effect"
import type { Access } from "../../readings/read/Access.ts"
import { supplyList } from "../../readings/read/supply.ts"
import type { SupplyListResponse } from "../../wire/data/supply.ts"
import type { Methodology } from "../../wire/products/payload.ts"
import { sold } from "../build.ts"
import { about, ofValuesAlone, telemetry } from "../shared/coverage.ts"
import { readings, withheldOf } from "../shared/inputs.ts"
import definition from "./definition.ts"

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

const snapshot = Effect.gen(function* () {
  const first = yield* supplyList({ access: bought })
  const supply = [...first.supply]
  let last: SupplyListResponse = first
  while (last.next_cursor !== undefined) {
    last = yield* supplyList({ access: bought, cursor: last.next_cursor })
    supply.push(...last.supply)
  }
  const { next_cursor: _, ...whole } = first
  return {
    ...whole,
    ...withheldOf(yield* readings, telemetry, about.all),
    supply,
    n_networks_shown: new Set(supply.map(({ symbol }) => symbol)).size,
    methodology
  }
})

export default {
  sale: sold(definition, () => snapshot, {
    covers: ofValuesAlone(telemetry, about.all),
    holds: ({ supply }) => supply.length > 0
  })
}
