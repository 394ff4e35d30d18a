/** The collectors as the read side sees them: what each declares, and how it fares. */

import { Context, type Effect } from "effect"
import type { Manifest } from "../plugin/Plugin.ts"
import type { FeedState } from "../wire/data/feedState.ts"

export class Feeds extends Context.Service<
  Feeds,
  {
    readonly manifests: ReadonlyArray<Manifest>
    /** By plugin id; a feed that has not been started yet is absent. */
    readonly states: Effect.Effect<ReadonlyMap<string, FeedState>>
  }
>()("core/data/Feeds") {}
