/**
 * One run of one plugin as a plain value: what the collector thread hands over and ingest stores. Everything here is JSON;
 * bodies travel separately, so they can move between threads without copying.
 */
import { Schema } from "effect"
import { Refusal } from "../../plugin/Plugin.ts"
import { Observation } from "../../plugin/Value.ts"
import type { AddressShape } from "./shapes/addresses.ts"

const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))

/** One exchange of a run. Its body is in `Bodies` under `sha256`. */
export const RunExchange = Schema.Struct({
  /** Zero-based index in the run; the nth of several equal requests gets the nth exchange. */
  n: Schema.Natural,
  method: Schema.Literals(["GET", "POST", "LISTEN"]),
  /** As the plugin requested it, without any key. */
  url: Schema.String,
  /** The request's body as text, as the plugin gave it, for POST and LISTEN. */
  request_body: Schema.optionalKey(Schema.String),
  /** ISO 8601 UTC: when the answer was complete. */
  at: Schema.String,
  status: Schema.Int,
  /** Only `storedHeaders`, names in lower case. */
  headers: Schema.Record(Schema.String, Schema.String),
  /** SHA-256 of the answer's body after content decoding, lower-case hex. */
  sha256: Sha256,
  /** Bytes of that body, uncompressed. */
  size: Schema.Natural,
  /** True for a 304: the body is an earlier one that the upstream confirmed as still current. */
  confirmed: Schema.Boolean
})
export interface RunExchange extends Schema.Schema.Type<typeof RunExchange> {}

/** One run, done or failed. Times are ISO 8601 UTC. */
export const RunResult = Schema.Struct({
  /** UUID version 7: sorts by the time of the start. */
  id: Schema.String,
  plugin: Schema.String,
  /** When it was to begin; absent where no schedule asked for it. */
  due: Schema.optionalKey(Schema.String),
  started: Schema.String,
  finished: Schema.String,
  /** The fixed current time the plugin saw. */
  now: Schema.String,
  /** See `runtime/collector/codeHash.ts`. */
  code_hash: Sha256,
  /** SHA-256 of the targets as JSON; that text is in `Bodies` under this hash. */
  targets_sha256: Sha256,
  /** Values of the settings that the manifest declares. */
  settings: Schema.Record(Schema.String, Schema.String),
  status: Schema.Literals(["ok", "failed"]),
  /** The error's tag and message, without secrets. Present only if `status` is `failed`. */
  error: Schema.optionalKey(Schema.Struct({ tag: Schema.String, message: Schema.String })),
  /** In order of completion; a failed run keeps those it made. */
  exchanges: Schema.Array(RunExchange),
  /** Rows in the order of `byName`; empty if the run failed. */
  observations: Schema.Array(Observation),
  refused: Schema.Array(Refusal),
  /** The run whose bodies this one read again with newer code, instead of the upstream. `now` and the exchanges are that run's. */
  rederives: Schema.optionalKey(Schema.String),
  /** How the notary was drawn that the run's sessions were to go through; absent where there was none to draw from. */
  lot: Schema.optionalKey(
    Schema.Struct({
      /** SHA-256 of the cosigned checkpoint that it was drawn by. */
      head: Sha256,
      /** Verifier key. */
      notary: Schema.String,
      /** Verifier keys of those that it was drawn from, in the order of the draw. */
      from: Schema.Array(Schema.String)
    })
  ),
  /** True if the run was made to compare its rows with what is served (`core/readings/recheck`): they are not stored. */
  recheck: Schema.optionalKey(Schema.Literal(true)),
  /** True if the demo's tape generated the exchanges. */
  simulated: Schema.optionalKey(Schema.Literal(true))
})
export interface RunResult extends Schema.Schema.Type<typeof RunResult> {}

/** Bodies by their SHA-256 (of the uncompressed bytes), each compressed by zstd. */
export type Bodies = ReadonlyMap<string, Uint8Array>

/** A run with the bodies of its exchanges and its targets; shared bodies appear once. */
export interface Delivery {
  readonly run: RunResult
  readonly bodies: Bodies
  /** What its answers hold, by address. Absent where nobody looked, as of the demo's runs. */
  readonly shapes?: ReadonlyArray<AddressShape>
  /** The ownership of the feed under which the run began; absent where one process has the database to itself. */
  readonly epoch?: number
}
