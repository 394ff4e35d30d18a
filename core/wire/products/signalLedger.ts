/** `signal_ledger`: measured events, each row linked to the one before by its hash. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"
import { head, words } from "./payload.ts"

const hash = (description: string) =>
  Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)).annotate({ description })

const number = (description: string) =>
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({ description })

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

const value = (description: string) => Schema.optionalKey(Schema.Finite.annotate({ description }))

const text = (description: string) => Schema.optionalKey(words(description))

// In the order of canonical JSON: without its hash, a row as it is sent is the text that was hashed.
export const SignalRow = Schema.Struct({
  after_text: text("The exact number after, or the state after"),
  after_value: value("The value after; absent where the row is about a state"),
  as_of: time("When what the row says became true"),
  before_text: text("The exact number before, or the state before"),
  before_value: value("The value before; absent where the row is about a state"),
  bound: value("What the change had to reach to be an event"),
  bound_unit: text("Unit of the bound"),
  hash: hash("SHA-256 of the row without this member as canonical JSON (RFC 8785), lower-case hex"),
  kind: Schema.Literals(["supply_move", "freshness_change", "incident", "revision", "anchor"]).annotate({
    description: "What kind of event it is: see methodology"
  }),
  metric: Schema.optionalKey(described.metric),
  n: number("Place in the ledger, from 1, without gaps"),
  note: text("More on the event: why a value was held back or restated, the block of an anchor"),
  prev_hash: hash("Hash of row n - 1; 64 zeros in row 1"),
  recorded_at: time("When the row entered the ledger; a late fact has an earlier as_of"),
  simulated: described.simulated,
  source: text("Source of the values; of an anchor the chain that holds it"),
  symbol: Schema.optionalKey(described.symbol),
  unit: words("Unit of the two values; `state` where they are words"),
  v: Schema.Literals(["service-signal-v1", "service-signal-v1-demo"]).annotate({
    description: "Version of the row's form"
  }),
  verify_url: words("Where it can be compared: an address of the upstream, or a path of this service")
}).annotate({ identifier: "SignalRow", description: "One measured event" })

const Place = { n: number("The row's place in the ledger"), hash: hash("The row's hash") }

export const SignalLedger = Schema.Struct({
  ...head,
  head: Schema.NullOr(Schema.Struct(Place)).annotate({
    description:
      "The newest row; null while there is none. This answer's signature covers it, and with it every row before"
  }),
  logged: Schema.NullOr(
    Schema.Struct({
      ...Place,
      log_index: Schema.Natural.annotate({ description: "Place of the entry in the log under /v1/log" })
    })
  ).annotate({
    description:
      "The newest row whose hash the log holds, as an entry of kind `signals`; null before the first"
  }),
  cursor: text("The cursor that was asked for"),
  signals: Schema.Array(SignalRow).annotate({ description: "Rows without a gap, newest first" }),
  next_cursor: described.next_cursor
}).annotate({ identifier: "SignalLedger", description: "A page of the signal ledger" })
export interface SignalLedger extends Schema.Schema.Type<typeof SignalLedger> {}
