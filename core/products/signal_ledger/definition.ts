/** `signal_ledger`: measured events, each row linked to the previous one by its hash. */
import { Schema } from "effect"
import { described } from "../../wire/data/valueRow.ts"
import { head, textField } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

const hash = (description: string) =>
  Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)).annotate({ description })

const number = (description: string) =>
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({ description })

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

const value = (description: string) => Schema.optionalKey(Schema.Finite.annotate({ description }))

const text = (description: string) => Schema.optionalKey(textField(description))

// In canonical JSON order: a served row without its `hash` is exactly the text that was hashed.
export const SignalRow = Schema.Struct({
  after_text: text("The exact number after, or the state after"),
  after_value: value("The value after; absent if the row describes a state"),
  as_of: time("When the event became true"),
  before_text: text("The exact number before, or the state before"),
  before_value: value("The value before; absent if the row describes a state"),
  bound: value("Size of change that counts as an event"),
  bound_unit: text("Unit of the bound"),
  hash: hash("SHA-256 of the row without this member, as canonical JSON (RFC 8785); lower-case hex"),
  kind: Schema.Literals(["supply_move", "freshness_change", "incident", "revision", "anchor"]).annotate({
    description: "Kind of event, as defined in the methodology"
  }),
  metric: Schema.optionalKey(described.metric),
  n: number("Position in the ledger, from 1, without gaps"),
  note: text("Details of the event: why a value was held back or restated, or the block of an anchor"),
  prev_hash: hash("Hash of row n - 1; 64 zeros in row 1"),
  recorded_at: time("When the row entered the ledger; a fact that arrives late has an earlier as_of"),
  simulated: described.simulated,
  source: text("Source of the values; for an anchor, the chain"),
  symbol: Schema.optionalKey(described.symbol),
  unit: textField("Unit of both values; `state` if they are words"),
  v: Schema.Literals(["service-signal-v1", "service-signal-v1-demo"]).annotate({
    description: "Version of the row format"
  }),
  verify_url: textField("Where to check it: an upstream URL or a path of this service"),
  withheld: Schema.optionalKey(
    Schema.Literal("rights").annotate({
      description: "Values and note are left out, as the terms of the source ask; `hash` is of the whole row"
    })
  )
}).annotate({ identifier: "SignalRow", description: "One measured event" })
export interface SignalRow extends Schema.Schema.Type<typeof SignalRow> {}

const Place = { n: number("Position of the row in the ledger"), hash: hash("The row's hash") }

export const SignalLedger = Schema.Struct({
  ...head,
  head: Schema.NullOr(Schema.Struct(Place)).annotate({
    description:
      "The newest row; null if there is none. This answer's signature covers it, and through it every earlier row"
  }),
  logged: Schema.NullOr(
    Schema.Struct({
      ...Place,
      log_index: Schema.Natural.annotate({ description: "Index of the entry in the log under /v1/log" })
    })
  ).annotate({
    description:
      "The newest row whose hash is in the log, as an entry of kind `signals`; null before the first"
  }),
  cursor: text("The requested cursor"),
  signals: Schema.Array(SignalRow).annotate({ description: "Consecutive rows, newest first" }),
  next_cursor: described.next_cursor
}).annotate({ identifier: "SignalLedger", description: "A page of the signal ledger" })
export interface SignalLedger extends Schema.Schema.Type<typeof SignalLedger> {}

export default define({
  key: "signal_ledger",
  title: "Signal ledger",
  schema: SignalLedger,
  onlyNow: "its rows never change, and each says when it was recorded; page back with cursor",
  sale: {
    content: "Hash-chained signals: each row links the one before by prev_hash",
    free: "Free: incidents at /v1/incidents, revisions at /v1/revisions. Sold: all kinds in one chain.",
    price: "9.99",
    inputs: {
      limit: "Rows, newest first, 1 to 500; default 500",
      cursor: "next_cursor of an earlier purchase, to get older rows"
    }
  },
  view: {
    path: "/v1/signals",
    title: "Measured events, hash-chained, newest first",
    capability: "engines",
    section: "Engines",
    pages: true
  }
})
