/** What the main thread and the collector thread say to each other. */

import type { LogLevel } from "effect"
import type { Delivery } from "../../core/data/ingest/Run.ts"
import type { Manifest } from "../../core/plugin/Plugin.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import type { Limits } from "../upstream/limits.ts"
import type { Heartbeat } from "./Heartbeat.ts"
import type { Broken } from "./load.ts"
import type { Earlier, RunState } from "./RunState.ts"
import type { Patience, RunLimits } from "./runLimits.ts"

/** What a collector thread is started with. */
export interface ThreadData {
  readonly heartbeat: Heartbeat
  /** Milliseconds between two heartbeats. */
  readonly beat: number
  /** The plugins' folder, as a file URL. */
  readonly folder: string
  /** Names of the folders to load; the place of a name is its number in the heartbeat. */
  readonly names: ReadonlyArray<string>
  /** Names that are not loaded, because their code blocked a thread while it was loaded. */
  readonly skip: ReadonlyArray<string>
}

/** The first message to a thread: with it the plugins that it has loaded begin to run. */
export interface Begin {
  readonly before: ReadonlyMap<string, RunState>
  readonly earlier: ReadonlyMap<string, Earlier>
  readonly keys: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, string>>
  readonly enabled: ReadonlyArray<string>
  readonly runLimits: Partial<RunLimits>
  readonly patience: Partial<Patience>
  readonly outside: {
    readonly limits: Partial<Limits>
    readonly map: Readonly<Record<string, string>>
    readonly contact?: string
  }
  /** Runs that may be handed over and not yet taken. */
  readonly ahead: number
}

export type FromThread =
  | {
      readonly type: "loaded"
      readonly manifests: ReadonlyArray<Manifest>
      readonly broken: ReadonlyArray<Broken>
    }
  | { readonly type: "state"; readonly state: FeedState; readonly runState: RunState }
  | { readonly type: "delivery"; readonly n: number; readonly delivery: Delivery }
  | {
      readonly type: "log"
      readonly level: LogLevel.LogLevel
      readonly message: string
      readonly annotations: Readonly<Record<string, string>>
    }

/** The run with this number was taken. */
export interface ToThread {
  readonly taken: number
}
