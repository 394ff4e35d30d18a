/** `/v1/coverage`: which networks no feed measures first hand, and why. */
import { Effect } from "effect"
import { networks } from "../../catalog/Catalog.ts"
import { isoTime } from "../../plugin/Value.ts"
import type { CoverageResponse } from "../../wire/data/coverage.ts"
import { listing } from "./listing.ts"
import { notCovered } from "./networks.ts"

export const coverage = Effect.fn("Data.coverage")(function* () {
  const list = yield* listing
  const reasons = yield* notCovered(list.bySymbol)
  const response: CoverageResponse = {
    generated_utc: isoTime(list.at),
    n_networks: networks.length,
    n_covered: networks.length - Object.keys(reasons).length,
    not_covered: reasons
  }
  return response
})
