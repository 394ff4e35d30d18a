/** A recording: what a run saw of the outside, enough to derive its rows again without the outside. */
import { Schema } from "effect"
import { Refusal } from "./Plugin.ts"
import { Target } from "./Upstream.ts"
import { Observation } from "./Value.ts"

/**
 * One recorded exchange. The body of the answer, after content decoding, is in one of `body`, `text` and `file`,
 * with its SHA-256.
 */
export const KeptExchange = Schema.Struct({
  /** Unique in its case. The demo's plan names the exchange by it, and it seeds how the numbers walk there. */
  name: Schema.String,
  method: Schema.Literals(["GET", "POST", "LISTEN"]),
  url: Schema.String,
  /** The request body as text, for POST and LISTEN. */
  request_body: Schema.optionalKey(Schema.String),
  at: Schema.String,
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  confirmed: Schema.optionalKey(Schema.Boolean),
  sha256: Schema.String,
  /** A JSON value: the body is what `JSON.stringify` makes of it, with no spaces and no line break at the end. */
  body: Schema.optionalKey(Schema.Unknown),
  /** Another text: the body is its UTF-8 bytes. */
  text: Schema.optionalKey(Schema.String),
  /** The body is a file beside the case. */
  file: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[a-z0-9-]+\.\d+\.[a-z]+$/)))
})
export interface KeptExchange extends Schema.Schema.Type<typeof KeptExchange> {}

/** How a recording came to be. */
const about = {
  /** `captured`: bytes that an upstream sent. `written`: by hand, after documentation. */
  origin: Schema.Literals(["captured", "written"]),
  /** When and from where it was captured, or after which documentation it was written. */
  note: Schema.String
}

export const Recording = Schema.Struct({
  plugin: Schema.String,
  ...about,
  /** The run's one time. */
  now: Schema.String,
  targets: Schema.Array(Target),
  settings: Schema.Record(Schema.String, Schema.String),
  exchanges: Schema.Array(KeptExchange)
})
export interface Recording extends Schema.Schema.Type<typeof Recording> {}

/** One edit of a recording, as RFC 6902 (JSON Patch) says it. */
const Edit = Schema.Union([
  Schema.Struct({ op: Schema.Literals(["add", "replace"]), path: Schema.String, value: Schema.Json }),
  Schema.Struct({ op: Schema.Literal("remove"), path: Schema.String })
])

/** A recording that is another case's, with a few edits; the hashes of the bodies that they change among them. */
export const Variant = Schema.Struct({
  /** The case of the same plugin, a whole one. */
  like: Schema.String,
  ...about,
  edits: Schema.Array(Edit)
})
export interface Variant extends Schema.Schema.Type<typeof Variant> {}

/** `expected` of a case: the rows that the recording must give, or the failure it must end in. */
export const Expected = Schema.Union([
  Schema.Struct({ observations: Schema.Array(Observation), refused: Schema.Array(Refusal) }),
  Schema.Struct({ error: Schema.String, message: Schema.String })
])
export type Expected = typeof Expected.Type
