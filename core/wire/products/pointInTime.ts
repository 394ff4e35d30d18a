/** `as_known_at` of products and views. */
import { Schema } from "effect"

/** In an answer that was asked for with it. */
export const as_known_at = Schema.optionalKey(
  Schema.String.annotate({
    format: "date-time",
    description: "Present if requested: the answer as of this time, made of what was known then"
  })
)

/** What the parameter takes. */
export const takesKnownAt = "an ISO 8601 date-time in UTC: made of what was known at that time"
