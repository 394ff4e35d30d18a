/** What the feed of events says that a condition can be about. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { PublicAddress } from "../log/record/attest.ts"
import { attestPath } from "../log/record/attestPath.ts"
import { rowsOf } from "../sql/rows.ts"
import type { HappeningCondition } from "../wire/alerts/alert.ts"
import type { ObserverDisagreement } from "../wire/data/agreement.ts"
import type { ValueRow } from "../wire/data/valueRow.ts"
import type { Event } from "../wire/events/event.ts"
import type { Crossed } from "./record.ts"

/** Something that happened to a metric, and the conditions that it makes true. */
export interface Happening extends Crossed {
  readonly kinds: ReadonlyArray<HappeningCondition["kind"]>
}

const guardRows = rowsOf({ guard: Schema.NullOr(Schema.String) })

/** Operators that a sentence names. */
const mostNamed = 3

/** A value that another one contradicts; `against` says by which. */
const disputed = (
  base: string,
  event: { readonly id: Event["id"]; readonly symbol?: string | undefined },
  n: number,
  one: Pick<ValueRow, "metric" | "value" | "value_text" | "unit" | "source" | "as_of">,
  against: string,
  day: string
): Happening => {
  const { as_of, metric, source, unit, value, value_text } = one
  const symbol = event.symbol ?? ""
  return {
    kinds: ["disagree"],
    cause: `event ${event.id} ${n}`,
    body: {
      says: `${metric} of ${symbol} is ${value_text ?? value} (${unit}) by ${source} at ${as_of}, and ${against}.`,
      symbol,
      metric,
      source,
      value,
      ...(value_text === undefined ? {} : { value_text }),
      unit,
      as_of,
      event_id: event.id,
      proof_url: base + attestPath({ symbol, metric, source, day })
    }
  }
}

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
      const other = one.disagrees_with
      const against = `${other.metric} is ${other.value_text ?? other.value} by ${other.source} at ${other.as_of}: ${one.why}`
      return [disputed(base, event, 0, one, against, one.as_of.slice(0, 10))]
    }
    case "observer_disagreement":
      return event.data.disagreements.map((one, n) =>
        disputed(base, event, n, one, othersSay(one.others), one.day)
      )
    default:
      return []
  }
})
