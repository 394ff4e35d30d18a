/** `as_known_at` of products and views. */
import { Schema } from "effect"
import { BadParameter } from "../problems/request.ts"
import type { ProductKey } from "./keys.ts"

/** In an answer that was asked for with it. */
export const as_known_at = Schema.optionalKey(
  Schema.String.annotate({
    format: "date-time",
    description: "Present if requested: the answer as of this time, made of what was known then"
  })
)

/** What the parameter takes. */
export const takesKnownAt = "an ISO 8601 date-time in UTC: made of what was known at that time"

/** The products that cannot be had as of an earlier time, each with the reason. */
const onlyNow: { readonly [K in ProductKey]?: string } = {
  derivation_replay: "a run never changes; name the run",
  depin_enrichment: "when each value was last read is not kept",
  signal_ledger: "its rows never change, and each says when it was recorded; page back with cursor",
  depin_grades: "they are withdrawn",
  dag_manifold_30d: "it delivers a key and no data"
}

/** The refusal of `as_known_at` for such a product; undefined for all others. */
export const refusedKnownAt = (key: ProductKey): BadParameter | undefined => {
  const why = onlyNow[key]
  return why === undefined
    ? undefined
    : new BadParameter({
        field: "as_known_at",
        message: `${key} has no as_known_at: ${why}. Nothing was charged.`
      })
}
