/** The collectors as the read side sees them: what each declares, and how it fares. */
import { Context, type Effect, Schema } from "effect"
import type { Manifest } from "../plugin/Plugin.ts"

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

export class Feeds extends Context.Service<
  Feeds,
  {
    readonly manifests: ReadonlyArray<Manifest>
    /** By plugin id; a feed that has not been started yet is absent. */
    readonly states: Effect.Effect<ReadonlyMap<string, FeedState>>
  }
>()("core/data/Feeds") {}
