/** How a feed fares. */
import { Schema } from "effect"

/** How a feed fares. `open`: its breaker is open after failures; `needs_key`: a required setting is missing. */
export const FeedState = Schema.Struct({
  plugin: Schema.String,
  state: Schema.Literals(["waiting", "running", "open", "needs_key", "disabled"]),
  /** Why, for `open`, `needs_key` and `disabled`. */
  reason: Schema.optionalKey(Schema.String),
  last_started: Schema.NullOr(Schema.String),
  last_success: Schema.NullOr(Schema.String),
  last_failure: Schema.NullOr(Schema.String),
  last_error: Schema.NullOr(Schema.String),
  next_run: Schema.NullOr(Schema.String),
  runs: Schema.Natural,
  failures: Schema.Natural
})
export interface FeedState extends Schema.Schema.Type<typeof FeedState> {}
