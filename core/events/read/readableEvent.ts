/** An event as it is told to who reads pages: with the values alone that their sources let be shown. The signed event has all of them. */
import type { BySource } from "../../readings/read/readable.ts"
import type { Event } from "../../wire/events/event.ts"

/** Undefined of an event that says nothing else. */
export const readableEvent = (event: Event, may: BySource): Event | undefined => {
  const of = <A extends { readonly source: string }>(rows: ReadonlyArray<A>) =>
    rows.filter(({ source }) => may(source))
  switch (event.kind) {
    case "values": {
      const values = of(event.data.values)
      return values.length === 0 ? undefined : { ...event, data: { ...event.data, values } }
    }
    case "revisions": {
      const revisions = of(event.data.revisions)
      return revisions.length === 0 ? undefined : { ...event, data: { ...event.data, revisions } }
    }
    case "observer_disagreement": {
      const disagreements = of(event.data.disagreements)
      return disagreements.length === 0 ? undefined : { ...event, data: { ...event.data, disagreements } }
    }
    case "disagreement": {
      const { disagrees_with, source } = event.data.disagreement
      return may(source) && may(disagrees_with.source) ? event : undefined
    }
    case "incident_opened":
    case "incident_closed": {
      const { source } = event.data.incident
      return source === undefined || may(source) ? event : undefined
    }
    // They have no values of a source.
    case "day_closed":
    case "anchor_confirmed":
    case "method_changed":
      return event
  }
}
