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
import { isAbout } from "./stored.ts"

/** Something that happened to a metric, and the conditions that it makes true. */
export interface Happening extends Crossed {
  readonly kinds: ReadonlyArray<HappeningCondition["kind"]>
  /** The series that the same fault met, with this one; absent where there is none but this. */
  readonly fault?: ReadonlyArray<Series>
}

type Series = NonNullable<Crossed["body"]["series"]>[number]

const faultRows = rowsOf({
  fault: Schema.Int,
  guard: Schema.NullOr(Schema.String),
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.NullOr(Schema.String)
})

/** The incidents of the fault that one is of: what one run opened for one cause; itself alone where it is of none. */
const faultOf = Effect.fnUntraced(function* (incident: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select coalesce(i.fault, i.id) as fault, i.guard, i.symbol, i.metric, i.source
    from incident o join incident i on coalesce(i.fault, i.id) = coalesce(o.fault, o.id)
    where o.id = ${incident} order by i.id`.pipe(faultRows)
})

/** Operators or series that a sentence names. */
const mostNamed = 3

/** A value that another one contradicts; `against` says by which. */
const disputed = (
  base: string,
  event: { readonly id: Event["id"]; readonly symbol?: string | undefined },
  n: number,
  one: Pick<ValueRow, "metric" | "value" | "value_text" | "unit" | "source" | "as_of">,
  against: string,
  day: string,
  secondSource?: string
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
      ...(secondSource === undefined ? {} : { second_source: secondSource }),
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
      const fault = yield* faultOf(incident.id)
      const [first] = fault
      const isHeld = first !== undefined && first.guard !== null
      return [
        {
          kinds: isHeld ? (["held", "incident"] as const) : (["incident"] as const),
          // One fault is one incident, however many series it met and events tell of it.
          cause: first === undefined ? `event ${event.id} 0` : `fault ${first.fault}`,
          fault: fault.map(({ metric, source, symbol }) => ({
            symbol,
            metric,
            ...(source === null ? {} : { source })
          })),
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
      return [disputed(base, event, 0, one, against, one.as_of.slice(0, 10), other.source)]
    }
    case "observer_disagreement":
      return event.data.disagreements.map((one, n) =>
        disputed(base, event, n, one, othersSay(one.others), one.day)
      )
    default:
      return []
  }
})

/** What an alert is told of a happening that its conditions hear: with the series of the fault that it is about. */
export const toldTo = (
  alert: Parameters<typeof isAbout>[0],
  { body, cause, fault = [] }: Happening
): Crossed => {
  const series = fault.filter((one) => isAbout(alert, one))
  const others = series.filter(({ metric, symbol }) => metric !== body.metric || symbol !== body.symbol)
  if (others.length === 0) return { cause, body }
  const named = others.slice(0, mostNamed).map(({ metric, symbol }) => `${metric} of ${symbol}`)
  const left = others.length - named.length
  const list = `${named.join(", ")}${left === 0 ? "" : ` and ${left} more`}`
  return { cause, body: { ...body, says: `${body.says} The same fault met ${list}.`, series } }
}
