/** `depin_provenance`: every network in the paid `/v1/supply`, each value with its source, time and URL. */
import { Schema } from "effect"
import { SupplyListResponse } from "../data/supply.ts"
import { Methodology } from "./payload.ts"
import { as_known_at } from "./pointInTime.ts"

const { next_cursor: _, ...fields } = SupplyListResponse.fields

export const DepinProvenance = Schema.Struct({ ...fields, as_known_at, methodology: Methodology }).annotate({
  identifier: "DepinProvenance",
  description: "Every first-party value with its provenance"
})
