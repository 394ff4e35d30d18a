/** The state of a feed. */
import { Schema } from "effect"

/**
 * `waiting` and `running`: healthy; `failing`: the last run failed; `open`: the breaker opened after consecutive failures;
 * `refusing`: the upstream answered the last run, but every reading was rejected; `needs_key`: a required setting is
 * missing. An unhealthy state persists while the feed runs again.
 */
export const FeedState = Schema.Struct({
  plugin: Schema.String,
  state: Schema.Literals(["waiting", "running", "failing", "open", "refusing", "needs_key", "disabled"]),
  /** Present in every state except `waiting` and `running`. */
  reason: Schema.optionalKey(Schema.String),
  last_started: Schema.NullOr(Schema.String),
  last_success: Schema.NullOr(Schema.String),
  last_failure: Schema.NullOr(Schema.String),
  last_error: Schema.NullOr(Schema.String),
  next_run: Schema.NullOr(Schema.String),
  /** From when its cadence is counted: without a failure it runs at this time and whole cadences away from it. */
  cadence_from: Schema.optionalKey(Schema.String),
  runs: Schema.Natural,
  failures: Schema.Natural
})
export interface FeedState extends Schema.Schema.Type<typeof FeedState> {}
