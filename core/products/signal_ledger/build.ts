/** `signal_ledger`: measured events, each row linked to the previous one by its hash. */
import { Effect } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import { isoTime } from "../../plugin/Value.ts"
import type { HashedSignal } from "../../proof/signal.ts"
import { moveBound, silences } from "../../publications/ledger/closedDay.ts"
import { countSignals, pageOfSignals } from "../../publications/ledger/page.ts"
import { smallest } from "../../readings/ingest/compare/guards.ts"
import { type Raw, wholeNumber } from "../../readings/read/parameters.ts"
import { sold, viewed } from "../build.ts"
import { ofWords } from "../shared/coverage.ts"
import definition, { type SignalLedger } from "./definition.ts"

export const signalCoverage = Effect.gen(function* () {
  const n = yield* countSignals
  return ofWords(
    `${Math.min(n, 500)} of ${n.toLocaleString("en-US")} ${n === 1 ? "signal" : "signals"}`,
    ...(n > 500 ? ["Signals older than the 500 newest: buy them with cursor"] : [])
  )
})

const raw = (value: unknown): Raw =>
  value === undefined || typeof value === "number" || typeof value === "string" ? value : ""

/** A page of the ledger, newest first; `cursor` is the number of the last row of the previous page. Fails with `BadParameter`. */
export const signalLedger = Effect.fn("Products.signalLedger")(function* (
  options: { readonly limit?: unknown; readonly cursor?: unknown } = {}
) {
  const most = 2_147_483_647
  const limit = yield* wholeNumber("limit", raw(options.limit), { min: 1, max: 500, fallback: 100 })
  const before = yield* wholeNumber("cursor", raw(options.cursor), { min: 1, max: most, fallback: most })
  const { head, logged, signals } = yield* pageOfSignals(before, limit)
  const last = signals.at(-1)
  return {
    generated_utc: isoTime(yield* DataClock.now),
    head,
    logged,
    ...(before === most ? {} : { cursor: String(before) }),
    signals: signals.map(({ hash, text }) => ({ ...(JSON.parse(text) as Omit<HashedSignal, "hash">), hash })),
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
