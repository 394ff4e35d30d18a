/** `signal_ledger`: measured events, each row linked to the previous one by its hash. */
import { Effect } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import { isoTime } from "../../plugin/Value.ts"
import type { HashedSignal } from "../../proof/signal.ts"
import { moveBound, silences } from "../../publications/ledger/closedDay.ts"
import { pageOfSignals } from "../../publications/ledger/page.ts"
import { smallest } from "../../readings/ingest/compare/guards.ts"
import { type Raw, wholeNumber } from "../../readings/read/parameters.ts"
import { type BySource, Readable } from "../../readings/read/readable.ts"
import { sold, viewed } from "../build.ts"
import { ofWords } from "../shared/coverage.ts"
import definition, { type SignalLedger, type SignalRow } from "./definition.ts"

/** A number after the last row. */
const beyond = 2_147_483_647

const rowOf = ({ hash, text }: { readonly hash: string; readonly text: string }): HashedSignal => ({
  ...(JSON.parse(text) as Omit<HashedSignal, "hash">),
  hash
})

export const signalCoverage = Effect.gen(function* () {
  const may = yield* Readable
  const { head, signals } = yield* pageOfSignals(beyond, 500)
  const n = head?.n ?? 0
  const withheld = signals.filter((row) => soldOf(rowOf(row), may).withheld !== undefined).length
  return ofWords(
    `${Math.min(n, 500)} of ${n.toLocaleString("en-US")} ${n === 1 ? "signal" : "signals"}`,
    ...(withheld > 0
      ? [`${withheld} of these have no values: their sources do not let them be sold (withheld: rights)`]
      : []),
    ...(n > 500 ? ["Signals older than the 500 newest: buy them with cursor"] : [])
  )
})

/** A row without what its source does not let be sold: values, and a note that names some. States in words are of this service. */
const soldOf = (row: HashedSignal, may: BySource | undefined): SignalRow => {
  if (may === undefined || row.kind === "anchor" || row.source === undefined || may(row.source)) return row
  const { note, ...noted } = row
  if (row.unit === "state") return note === undefined ? row : { ...noted, withheld: "rights" }
  const { after_text: _, after_value: _after, before_text: _text, before_value: _before, ...left } = noted
  return { ...left, withheld: "rights" }
}

const raw = (value: unknown): Raw =>
  value === undefined || typeof value === "number" || typeof value === "string" ? value : ""

/** A page of the ledger, newest first; `cursor` is the number of the last row of the previous page. Fails with `BadParameter`. */
export const signalLedger = Effect.fn("Products.signalLedger")(function* (
  options: { readonly limit?: unknown; readonly cursor?: unknown } = {}
) {
  const limit = yield* wholeNumber("limit", raw(options.limit), { min: 1, max: 500, fallback: 100 })
  const may = yield* Readable
  const before = yield* wholeNumber("cursor", raw(options.cursor), { min: 1, max: beyond, fallback: beyond })
  const { head, logged, signals } = yield* pageOfSignals(before, limit)
  const last = signals.at(-1)
  return {
    generated_utc: isoTime(yield* DataClock.now),
    head,
    logged,
    ...(before === beyond ? {} : { cursor: String(before) }),
    signals: signals.map((row) => soldOf(rowOf(row), may)),
    ...(last !== undefined && last.n > 1 ? { next_cursor: String(last.n) } : {}),
    methodology: {
      formula:
        "hash = SHA-256 of the row without hash as canonical JSON (RFC 8785); prev_hash = hash of the previous row, 64 zeros in row 1",
      fields: [
        "every metric of tier supply_telemetry that counts or measures a stock",
        "readings, revisions, incidents, anchors"
      ],
      rules: [
        `supply_move: a closed day's value differs by at least ${moveBound} percent from the previous day's, which was at least ${smallest}; only consecutive days are compared.`,
        `freshness_change: at the end of a closed day a source has reported nothing about a network for that day (recent to stale), for that day and the ${silences.static - 1} before (stale to static), or reports again (to recent).`,
        "incident: readings were held back (open) or accepted again (closed). revision: an upstream restated a value. anchor: the Bitcoin proof of a log checkpoint changed state.",
        "Measurements and the thresholds they crossed; no performance figures, no investment advice.",
        "A fact that arrives late is appended with its own as_of; rows are never changed or moved. plumbline verify signals checks the chain."
      ]
    }
  } satisfies SignalLedger
})

export default {
  sale: sold(definition, ({ inputs }) => signalLedger({ limit: 500, ...inputs }), {
    covers: signalCoverage,
    holds: ({ head }) => head !== null
  }),
  view: viewed(definition, signalLedger)
}
