/** `depin_provenance`: every network in the paid `/v1/supply`, each value with its source, time and URL. */
import { Schema } from "effect"
import { SupplyListResponse } from "../../wire/data/supply.ts"
import { left_out, Methodology, payloadRights } from "../../wire/products/payload.ts"
import { as_known_at } from "../../wire/products/pointInTime.ts"
import { define } from "../definition.ts"

const { next_cursor: _, ...fields } = SupplyListResponse.fields

export const DepinProvenance = Schema.Struct({
  ...fields,
  as_known_at,
  left_out,
  rights: payloadRights,
  methodology: Methodology
}).annotate({
  identifier: "DepinProvenance",
  description: "Every first-party value with its provenance"
})

export default define({
  key: "depin_provenance",
  title: "DePIN provenance",
  schema: DepinProvenance,
  sale: {
    content: "Full first-party supply snapshot, same breadth as the paid /v1/supply",
    free: "Free: any single network at /v1/network/{symbol}, and the day's sample at /v1/supply.",
    price: "0.49",
    perRequest: true,
    sameAs: "/v1/supply"
  }
})
