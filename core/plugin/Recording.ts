/** A recording: what a run saw of the outside, enough to derive its rows again without the outside. */
import { Schema } from "effect"
import { Refusal } from "./Plugin.ts"
import { Target } from "./Upstream.ts"
import { Observation } from "./Value.ts"

/** One kept exchange. The body stands in `file`, byte for byte as it was after content decoding. */
export const KeptExchange = Schema.Struct({
  method: Schema.Literals(["GET", "POST", "LISTEN"]),
  url: Schema.String,
  /** The request body as text, for POST and LISTEN. */
  body: Schema.optionalKey(Schema.String),
  at: Schema.String,
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  confirmed: Schema.optionalKey(Schema.Boolean),
  sha256: Schema.String,
  file: Schema.String
})
export interface KeptExchange extends Schema.Schema.Type<typeof KeptExchange> {}

/** `recording.json` of a case folder. */
export const Recording = Schema.Struct({
  plugin: Schema.String,
  /** `captured`: bytes that an upstream sent. `written`: by hand, after documentation. */
  origin: Schema.Literals(["captured", "written"]),
  /** When and from where it was captured, or after which documentation it was written. */
  note: Schema.String,
  /** The run's one time. */
  now: Schema.String,
  targets: Schema.Array(Target),
  settings: Schema.Record(Schema.String, Schema.String),
  exchanges: Schema.Array(KeptExchange)
})
export interface Recording extends Schema.Schema.Type<typeof Recording> {}

/** `expected.json` of a case folder: the rows that the recording must give, or the failure it must end in. */
export const Expected = Schema.Union([
  Schema.Struct({ observations: Schema.Array(Observation), refused: Schema.Array(Refusal) }),
  Schema.Struct({ error: Schema.String, message: Schema.String })
])
export type Expected = typeof Expected.Type
