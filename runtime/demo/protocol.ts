/** What the demo's thread is told, and what it says. Runs go over as in the collector's protocol. */
import type { Manifest } from "../../core/plugin/Manifest.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"

/** What the thread is started with. */
export interface ThreadData {
  /** The database is known to be empty. */
  readonly isNew: boolean
}

/** The first message to the thread. It starts the plugins that the thread has loaded. */
export interface Begin {
  /** Milliseconds from the wall clock to the data clock. */
  readonly offset: number
  /** Plugins that play although their manifest is `disabled`. */
  readonly enabled: ReadonlyArray<string>
  /** Leave the past out: the database has it. */
  readonly skipPast: boolean
  /** Where the thread stores the bodies of the past, as files; they go with their run if undefined. */
  readonly bodiesFolder: string | undefined
  /** Runs that may be handed over and not yet taken. */
  readonly ahead: number
}

export type FromThread =
  | { readonly type: "loaded"; readonly manifests: ReadonlyArray<Manifest> }
  | { readonly type: "state"; readonly state: FeedState }
  | { readonly type: "delivery"; readonly n: number; readonly delivery: Delivery }
  /** The last reading of every plugin was taken (those before are previews, unless the past is left out), or the past was. */
  | { readonly type: "newest" | "past" }
  /** A moment of the past: it comes after the readings that were handed over before, and before all that follow. */
  | { readonly type: "moment"; readonly at: number }
  | { readonly type: "unusable"; readonly plugin: string; readonly why: string }
  /** What the thread logs: only what went wrong in it. */
  | { readonly type: "trouble"; readonly message: string }
