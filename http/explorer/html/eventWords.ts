/** What an event says in words, and where to read more: for people, of what `/v1/events` says to programs. */
import { attestPath } from "../../../core/log/record/attestPath.ts"
import type { ObserverDisagreement } from "../../../core/wire/data/agreement.ts"
import type { Revision } from "../../../core/wire/data/revisions.ts"
import type { ValueRow } from "../../../core/wire/data/valueRow.ts"
import type { Event } from "../../../core/wire/events/event.ts"
import type { Incident } from "../../../core/wire/log/incidents.ts"
import { formatDay, formatNumber, metricWords, valueText } from "./format.ts"
import { metricPath, networkPath } from "./values.ts"

/** Where something is at this service: `href` begins with `/`. */
interface Place {
  readonly href: string
  readonly type: string
}

export interface EventWords {
  readonly title: string
  readonly summary?: string
  /** The path of the page that says more. */
  readonly path: string
  /** What proves it; absent where the signed event alone does. */
  readonly proof?: Place
}

const json = (href: string): Place => ({ href, type: "application/json" })

/** Names of a network, or the symbol of what is not in the catalog. */
export type NameOf = (symbol: string) => string

const andMore = (n: number): string => (n > 1 ? ` and ${formatNumber(n - 1)} more` : "")

const valuesWords = (symbol: string, values: ReadonlyArray<ValueRow>, nameOf: NameOf): EventWords => {
  const [first] = values
  return {
    title:
      first === undefined
        ? `New values of ${nameOf(symbol)}`
        : `New values of ${nameOf(symbol)}: ${metricWords(first.metric)} ${valueText(first.value, first.unit)}${andMore(values.length)}`,
    path: networkPath(symbol)
  }
}

const revisionsWords = (symbol: string, revisions: ReadonlyArray<Revision>, nameOf: NameOf): EventWords => {
  const [first] = revisions
  if (first === undefined) return { title: `Revised values of ${nameOf(symbol)}`, path: "/log/revisions" }
  const { after_value, as_of, before_value, metric, source, unit, why } = first
  return {
    title: `Revised: ${metricWords(metric)} of ${nameOf(symbol)} on ${formatDay(as_of)}, from ${valueText(before_value, unit)} to ${valueText(after_value, unit)}${andMore(revisions.length)}`,
    summary: `Why: ${why}.`,
    path: `${metricPath(symbol, metric)}#figure`,
    proof: json(attestPath({ symbol, metric, source, day: as_of.slice(0, 10) }))
  }
}

const incidentWords = (
  { id, metric, reason, symbol }: Incident,
  verb: string,
  nameOf: NameOf
): EventWords => ({
  title: `Incident ${id} ${verb}: ${metricWords(metric)} of ${nameOf(symbol)}`,
  summary: reason,
  path: "/log/incidents",
  proof: json(`/v1/incidents?symbol=${encodeURIComponent(symbol)}`)
})

const observersWords = (
  symbol: string,
  all: ReadonlyArray<ObserverDisagreement>,
  nameOf: NameOf
): EventWords => {
  const [first] = all
  if (first === undefined)
    return { title: `Other operators contradict values of ${nameOf(symbol)}`, path: networkPath(symbol) }
  const { day, metric, others, source, unit, value } = first
  const [other] = others
  return {
    title: `Another operator contradicts ${metricWords(metric)} of ${nameOf(symbol)} on ${formatDay(day)}${andMore(all.length)}`,
    ...(other === undefined
      ? {}
      : {
          summary: `Published: ${valueText(value, unit)}; ${other.origin} has ${other.value_text ?? formatNumber(other.value)} (${other.unit}).`
        }),
    path: metricPath(symbol, metric),
    proof: json(attestPath({ symbol, metric, source, day }))
  }
}

export const eventWords = (event: Event, nameOf: NameOf): EventWords => {
  switch (event.kind) {
    case "values":
      return valuesWords(event.symbol, event.data.values, nameOf)
    case "revisions":
      return revisionsWords(event.symbol, event.data.revisions, nameOf)
    case "incident_opened":
      return incidentWords(event.data.incident, "opened", nameOf)
    case "incident_closed":
      return incidentWords(event.data.incident, "closed", nameOf)
    case "day_closed": {
      const { day, late, log_index, n_readings, n_revisions } = event.data.batch
      return {
        title: `${formatDay(day)} is closed${late ? ", late" : ""}: ${formatNumber(n_readings)} ${n_readings === 1 ? "value" : "values"} in entry ${formatNumber(log_index)} of the log`,
        ...(n_revisions === 0
          ? {}
          : { summary: `Values of earlier days that their source restated: ${formatNumber(n_revisions)}.` }),
        path: `/changes/${day}`,
        proof: { href: `/log/${day}`, type: "text/html" }
      }
    }
    case "anchor_confirmed": {
      const { block_height, checkpoint_size, network, ots_url } = event.data.anchor
      return {
        title: `The log with ${formatNumber(checkpoint_size)} ${checkpoint_size === 1 ? "entry" : "entries"} is in block ${formatNumber(block_height)} of ${network === "bitcoin" ? "Bitcoin" : network}`,
        path: "/log",
        proof: { href: ots_url, type: "application/octet-stream" }
      }
    }
    case "disagreement": {
      const { disagrees_with: other, metric, source, as_of, unit, value, why } = event.data.disagreement
      return {
        title: `Two sources disagree on ${metricWords(metric)} of ${nameOf(event.symbol)}: ${valueText(value, unit)} and ${valueText(other.value, unit)}`,
        summary: why,
        path: metricPath(event.symbol, metric),
        proof: json(attestPath({ symbol: event.symbol, metric, source, day: as_of.slice(0, 10) }))
      }
    }
    case "method_changed": {
      const { after, before, source } = event.data.method
      return {
        title: `The figures of ${source} follow another method`,
        summary: `Before: ${before}. Since: ${after}.`,
        path: "/log"
      }
    }
    case "observer_disagreement":
      return observersWords(event.symbol, event.data.disagreements, nameOf)
  }
}
