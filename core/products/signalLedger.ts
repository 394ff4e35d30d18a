/** `signal_ledger`: measured events, each row linked to the one before by its hash (spec 2.10). */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../data/DataClock.ts"
import { smallest } from "../data/ingest/guards.ts"
import { type Raw, wholeNumber } from "../data/read/parameters.ts"
import { described } from "../data/read/valueRow.ts"
import { isoTime } from "../plugin/Value.ts"
import { type HashedSignal, signalKinds, signalTag } from "../proof/signal.ts"
import { moveBound, silences } from "../publications/ledger/closedDay.ts"
import { head, words } from "./inputs.ts"

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
  kind: Schema.Literals(signalKinds).annotate({ description: "What kind of event it is: see methodology" }),
  metric: Schema.optionalKey(described.metric),
  n: number("Place in the ledger, from 1, without gaps"),
  note: text("More on the event: why a value was held back or restated, the block of an anchor"),
  prev_hash: hash("Hash of row n - 1; 64 zeros in row 1"),
  recorded_at: time("When the row entered the ledger; a late fact has an earlier as_of"),
  simulated: described.simulated,
  source: text("Source of the values; of an anchor the chain that holds it"),
  symbol: Schema.optionalKey(described.symbol),
  unit: words("Unit of the two values; `state` where they are words"),
  v: Schema.Literals([signalTag, `${signalTag}-demo`]).annotate({ description: "Version of the row's form" }),
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

const raw = (value: unknown): Raw =>
  value === undefined || typeof value === "number" || typeof value === "string" ? value : ""

/** A page of the ledger, newest first; `cursor` is the number of the row that it follows. Fails with `BadParameter`. */
export const signalLedger = Effect.fn("signalLedger")(function* (
  given: { readonly limit?: unknown; readonly cursor?: unknown } = {}
) {
  const most = 2_147_483_647
  const limit = yield* wholeNumber("limit", raw(given.limit), { min: 1, max: 500, fallback: 100 })
  const before = yield* wholeNumber("cursor", raw(given.cursor), { min: 1, max: most, fallback: most })
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ n: number; hash: string; text: string }>`
    select n, hash, text from signal where n < ${before} order by n desc limit ${limit}`
  const [known] = yield* sql<{
    n: number | null
    hash: string | null
    logged: string | null
    logged_hash: string | null
  }>`
    select h.n, h.hash, f.value as logged, l.hash as logged_hash
    from (select max(n) as newest from signal) m left join signal h on h.n = m.newest
      left join fact f on f.name = 'signals_logged'
      left join signal l on l.n = split_part(f.value, '|', 2)::int`
  const [, logged, log_index] = known?.logged?.split("|") ?? []
  const last = rows.at(-1)
  return {
    generated_utc: isoTime(yield* DataClock.now),
    head: known?.n == null || known.hash === null ? null : { n: known.n, hash: known.hash },
    logged:
      known?.logged_hash == null
        ? null
        : { n: Number(logged), hash: known.logged_hash, log_index: Number(log_index) },
    ...(before === most ? {} : { cursor: String(before) }),
    signals: rows.map(({ hash, text }) => ({ ...(JSON.parse(text) as Omit<HashedSignal, "hash">), hash })),
    ...(last !== undefined && last.n > 1 ? { next_cursor: String(last.n) } : {}),
    methodology: {
      formula:
        "hash = SHA-256 of the row without hash as canonical JSON (RFC 8785); prev_hash = hash of the row before, 64 zeros in row 1",
      fields: [
        "every metric of tier supply_telemetry that counts or measures a stock",
        "readings, revisions, incidents, anchors"
      ],
      rules: [
        `supply_move: a closed day's value differs from that of the day before by ${moveBound} percent of it or more, where that was ${smallest} or more; days that do not follow each other are not compared.`,
        `freshness_change: at the end of a closed day a source has said nothing of a network for that day (recent to stale), for it and ${silences.static - 1} before (stale to static), or speaks again (to recent).`,
        "incident: readings were held back (open), or are accepted again (closed). revision: an upstream restated a value. anchor: the proof of a log's head in Bitcoin came to another state.",
        "Measurements and the bounds they passed: no figures of performance, no investment advice.",
        "A fact that arrives late is added at the end with its own as_of; no row is ever changed or moved. plumbline verify signals checks the chain."
      ]
    }
  } satisfies SignalLedger
})
