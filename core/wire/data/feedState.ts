/** How a feed fares. */
import { Schema } from "effect"

/**
 * How a feed fares. `waiting` and `running`: nothing is wrong with it; `failing`: its last run failed; `open`: its breaker
 * is open after failures in a row; `refusing`: its last run was answered, but every reading of it was refused;
 * `needs_key`: a required setting is missing. What is wrong stays the state while the feed runs again.
 */
export const FeedState = Schema.Struct({
  plugin: Schema.String,
  state: Schema.Literals(["waiting", "running", "failing", "open", "refusing", "needs_key", "disabled"]),
  /** Why, for every state but `waiting` and `running`. */
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
