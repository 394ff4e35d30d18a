/** What the feed of events says that a condition can be about. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { PublicAddress } from "../log/read/attest.ts"
import { attestPath } from "../log/read/attestPath.ts"
import { rowsOf } from "../sql/rows.ts"
import type { HappeningCondition } from "../wire/alerts/alert.ts"
import type { ObserverDisagreement } from "../wire/data/agreement.ts"
import type { Event } from "../wire/events/event.ts"
import type { Crossed } from "./record.ts"

/** Something that happened to a metric, and the conditions that it makes true. */
export interface Happening extends Crossed {
  readonly kinds: ReadonlyArray<HappeningCondition["kind"]>
}

const guardRows = rowsOf({ guard: Schema.NullOr(Schema.String) })

/** Operators that a sentence names. */
const mostNamed = 3

/** What other operators have instead. */
const othersSay = (others: ObserverDisagreement["others"]): string => {
  const named = others
    .slice(0, mostNamed)
    .map(
      ({ as_of, origin, unit, value, value_text }) =>
        `${value_text ?? value} (${unit}) by ${origin} at ${as_of}`
    )
  const left = others.length - named.length
  return `${named.join(", ")}${left === 0 ? "" : ` and another value by ${left} more`}`
}

/** Everything in an event that a condition can be about; nothing of other events. */
export const happeningsOf = Effect.fnUntraced(function* (event: Event) {
  const base = yield* PublicAddress
  switch (event.kind) {
    case "revisions":
      return event.data.revisions.map(
        (revision, n): Happening => ({
          kinds: ["revised"],
          cause: `event ${event.id} ${n}`,
          body: {
            says: `${revision.metric} of ${revision.symbol} at ${revision.as_of} was revised from ${revision.before_text ?? revision.before_value} to ${revision.after_text ?? revision.after_value} (${revision.unit}): ${revision.why}.`,
            symbol: revision.symbol,
            metric: revision.metric,
            source: revision.source,
            value: revision.after_value,
            ...(revision.after_text === undefined ? {} : { value_text: revision.after_text }),
            unit: revision.unit,
            as_of: revision.as_of,
            verify_url: revision.verify_url,
            event_id: event.id,
            proof_url: base + attestPath({ ...revision, day: revision.as_of.slice(0, 10) })
          }
        })
      )
    case "incident_opened": {
      const { incident } = event.data
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql`select guard from incident where id = ${incident.id}`.pipe(guardRows)
      const isHeld = row !== undefined && row.guard !== null
      return [
        {
          kinds: isHeld ? (["held", "incident"] as const) : (["incident"] as const),
          cause: `event ${event.id} 0`,
          body: {
            says: `${incident.metric} of ${incident.symbol} ${isHeld ? "has a reading held back" : "has an incident"} from ${incident.from} on: ${incident.reason}.`,
            symbol: incident.symbol,
            metric: incident.metric,
            ...(incident.source === undefined ? {} : { source: incident.source }),
            event_id: event.id,
            proof_url: `${base}/v1/incidents?symbol=${encodeURIComponent(incident.symbol)}`
          }
        } satisfies Happening
      ]
    }
    case "disagreement": {
      const { disagreement: one } = event.data
      const symbol = event.symbol ?? ""
      const other = one.disagrees_with
      return [
        {
          kinds: ["disagree"],
          cause: `event ${event.id} 0`,
          body: {
            says: `${one.metric} of ${symbol} is ${one.value_text ?? one.value} (${one.unit}) by ${one.source} at ${one.as_of}, and ${other.metric} is ${other.value_text ?? other.value} by ${other.source} at ${other.as_of}: ${one.why}.`,
            symbol,
            metric: one.metric,
            source: one.source,
            value: one.value,
            ...(one.value_text === undefined ? {} : { value_text: one.value_text }),
            unit: one.unit,
            as_of: one.as_of,
            event_id: event.id,
            proof_url: base + attestPath({ ...one, symbol, day: one.as_of.slice(0, 10) })
          }
        } satisfies Happening
      ]
    }
    case "observer_disagreement": {
      const symbol = event.symbol ?? ""
      return event.data.disagreements.map(
        (one, n): Happening => ({
          kinds: ["disagree"],
          cause: `event ${event.id} ${n}`,
          body: {
            says: `${one.metric} of ${symbol} is ${one.value_text ?? one.value} (${one.unit}) by ${one.source} at ${one.as_of}, and ${othersSay(one.others)}.`,
            symbol,
            metric: one.metric,
            source: one.source,
            value: one.value,
            ...(one.value_text === undefined ? {} : { value_text: one.value_text }),
            unit: one.unit,
            as_of: one.as_of,
            event_id: event.id,
            proof_url: base + attestPath({ ...one, symbol, day: one.day })
          }
        })
      )
    }
    default:
      return []
  }
})
