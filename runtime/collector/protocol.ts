/** The messages between the main thread and the collector thread. */
import { type LogLevel, Schema } from "effect"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { type Delivery, RunResult } from "../../core/readings/ingest/Run.ts"
import type { RunNotes } from "../../core/readings/ingest/runs/notes.ts"
import { AddressShape, mostAddresses } from "../../core/readings/ingest/shapes/addresses.ts"
import type { Place } from "../../core/readings/recheck/places.ts"
import { FeedState } from "../../core/wire/data/feedState.ts"
import type { NotaryText } from "../notaries/drawing.ts"
import type { UpstreamLimits } from "../upstream/limits.ts"
import type { Heartbeat } from "./Heartbeat.ts"
import type { Broken } from "./load.ts"
import type { Owned } from "./Owned.ts"
import { type Earlier, RunState } from "./RunState.ts"
import type { BackoffPolicy, RunLimits } from "./runLimits.ts"

/** The data that a collector thread starts with. */
export interface ThreadData {
  readonly heartbeat: Heartbeat
  /** Milliseconds between two heartbeats. */
  readonly beat: number
  /** The plugins' folder, as a file URL. */
  readonly folder: string
  /** Names of the folders to load. The position of a name is its number in the heartbeat. */
  readonly names: ReadonlyArray<string>
  /** Names to skip: their code blocked a thread while loading, or another thread runs them. */
  readonly skip: ReadonlyArray<string>
  /** Bytes of the largest body that this thread decodes; a plugin that reads a larger one is left to another thread. */
  readonly largest: number
}

/** The first message to a thread. It starts the plugins that the thread has loaded. */
export interface Begin {
  /** The feeds to collect; later ones come as orders. */
  readonly owned: ReadonlyArray<Owned>
  /** How the plugins fared in the thread before this one. */
  readonly before: ReadonlyMap<string, RunState>
  readonly earlier: ReadonlyMap<string, Earlier>
  readonly keys: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, string>>
  readonly enabled: ReadonlyArray<string>
  readonly runLimits: Partial<RunLimits>
  readonly backoff: Partial<BackoffPolicy>
  readonly outside: {
    readonly limits: Partial<UpstreamLimits>
    readonly map: Readonly<Record<string, string>>
    readonly contact?: string
  }
  readonly notaries: {
    /** With the tokens in their addresses. */
    readonly all: ReadonlyArray<NotaryText>
    /** SHA-256 of the newest cosigned checkpoint, by which they are drawn; a later one comes as an order. */
    readonly head?: string
  }
  /** How many runs may be handed over but not yet taken. */
  readonly ahead: number
  /** The clock of the database (`core/clock/DatabaseClock.ts`), where several processes share it. */
  readonly clock?: Float64Array<SharedArrayBuffer>
}

export type FromThread =
  | {
      readonly type: "loaded"
      readonly manifests: ReadonlyArray<Manifest>
      readonly broken: ReadonlyArray<Broken>
    }
  | { readonly type: "state"; readonly state: FeedState; readonly runState: RunState }
  /** The feeds of the order with this number are no longer collected: none of their runs is in progress. */
  | { readonly type: "disowned"; readonly n: number }
  | { readonly type: "delivery"; readonly n: number; readonly delivery: Delivery }
  /** What a notary states of a run that was handed over, or is about to be. */
  | { readonly type: "notes"; readonly notes: RunNotes }
  /** What the order with this number to look again gave; without a run where the plugin is not run in this thread now. */
  | {
      readonly type: "looked"
      readonly n: number
      readonly run?: {
        readonly delivery: Delivery
        readonly places: ReadonlyMap<number, Place>
        readonly notes?: RunNotes
      }
    }
  /** The plugin reads bodies that are too large for this thread, which has stopped running it. */
  | { readonly type: "large"; readonly plugin: string }
  | {
      readonly type: "log"
      readonly level: LogLevel.LogLevel
      readonly message: string
      readonly annotations: Readonly<Record<string, string>>
    }

const { observations: _, refused: __, ...runFields } = RunResult.fields

const Text = Schema.String

/** Does not check the rows: there can be fifty thousand, and ingest checks each of them anyway. */
const DeliveryMessage = Schema.Struct({
  epoch: Schema.optionalKey(Schema.Int),
  run: Schema.Struct({
    ...runFields,
    observations: Schema.Array(Schema.Unknown),
    refused: Schema.Array(Schema.Unknown)
  }),
  bodies: Schema.ReadonlyMap(Text, Schema.Uint8Array),
  shapes: Schema.optionalKey(Schema.Array(AddressShape).check(Schema.isMaxLength(mostAddresses)))
})

const NotesMessage = Schema.Struct({
  run: Text,
  notes: Schema.Array(Text),
  exchanges: Schema.Array(Schema.Struct({ n: Schema.Natural, notes: Schema.Array(Text) }))
})

const isMessage = Schema.is(
  Schema.Union([
    Schema.Struct({
      type: Schema.Literal("loaded"),
      manifests: Schema.Array(Schema.Struct({ id: Text })),
      broken: Schema.Array(Schema.Struct({ plugin: Text, reason: Text }))
    }),
    Schema.Struct({
      type: Schema.Literal("state"),
      state: FeedState,
      runState: RunState
    }),
    Schema.Struct({ type: Schema.Literal("disowned"), n: Schema.Natural }),
    Schema.Struct({
      type: Schema.Literal("delivery"),
      n: Schema.Natural,
      delivery: DeliveryMessage
    }),
    Schema.Struct({
      type: Schema.Literal("looked"),
      n: Schema.Natural,
      run: Schema.optionalKey(
        Schema.Struct({
          delivery: DeliveryMessage,
          places: Schema.ReadonlyMap(
            Schema.Finite,
            Schema.Struct({
              kind: Text,
              sha256: Schema.optionalKey(Text),
              pointer: Schema.optionalKey(Text)
            })
          ),
          notes: Schema.optionalKey(NotesMessage)
        })
      )
    }),
    Schema.Struct({ type: Schema.Literal("notes"), notes: NotesMessage }),
    Schema.Struct({ type: Schema.Literal("large"), plugin: Text }),
    Schema.Struct({
      type: Schema.Literal("log"),
      level: Schema.Literals(["All", "Fatal", "Error", "Warn", "Info", "Debug", "Trace", "None"]),
      message: Text,
      annotations: Schema.Record(Text, Text)
    })
  ])
)

/** Whether a message is valid. Plugins share the thread's port and could send anything, including null. */
export const isFromThread = (message: unknown): message is FromThread => isMessage(message)

/**
 * Starts feeds, or ends them, when a run in progress is finished; looks again at the target of a plugin, or at all; or names the head of
 * the log by which notaries are drawn.
 */
export type Order =
  | { readonly head: string }
  | { readonly own: ReadonlyArray<Owned> }
  | { readonly look: string; readonly symbol?: string; readonly n: number }
  | { readonly disown: ReadonlyArray<string>; readonly n: number }

/** Told from the other messages, which the thread's first and `handOver` take. */
export const isOrder = (message: unknown): message is Order =>
  typeof message === "object" &&
  message !== null &&
  ("own" in message || "disown" in message || "look" in message || "head" in message)

/** Confirms that the run with this number was taken. */
export interface ToThread {
  readonly taken: number
}
