/** The collectors as the read side sees them: their manifests and states. */
import { Context, type Effect } from "effect"
import type { Manifest } from "../plugin/Manifest.ts"
import type { FeedState } from "../wire/data/feedState.ts"

/** True of a feed that is to deliver values: neither switched off nor without its key. */
export const isRunning = (state: FeedState["state"]): boolean => state !== "disabled" && state !== "needs_key"

/** True if a feed should deliver values but does not. */
export const givesNothing = (state: FeedState["state"]): boolean =>
  state === "failing" || state === "open" || state === "refusing"

export class Feeds extends Context.Service<
  Feeds,
  {
    readonly manifests: ReadonlyArray<Manifest>
    /** By plugin id; a feed that has not started yet is absent. */
    readonly states: Effect.Effect<ReadonlyMap<string, FeedState>>
  }
>()("core/readings/Feeds") {}
