/** What happened, as an Atom feed: the newest events in words, each with its page and its proof. */
import { Effect } from "effect"
import type { EventParams } from "../../../core/events/read/filter.ts"
import { newestEvents } from "../../../core/events/read/newestEvents.ts"
import { keyless } from "../../../core/readings/read/Access.ts"
import type { Event } from "../../../core/wire/events/event.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { type AtomEntry, atomResponse } from "../html/atom.ts"
import { eventWords } from "../html/eventWords.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { queryText } from "../html/queryText.ts"

/** Entries of the feed; older events are at /v1/events. */
const inFeed = 50

export const eventFeedPath = "/changes/atom.xml"

const entryOf = (event: Event, baseUrl: string): AtomEntry => {
  const { path, proof, summary, title } = eventWords(event, nameOfSymbol)
  // The address of the signed event: the same id has the same event for good.
  const address = `${baseUrl}/v1/events?after=${event.id - 1}&limit=1`
  return {
    id: address,
    title: event.simulated === true ? `${title} (simulated)` : title,
    updated: event.at,
    page: { href: `${baseUrl}${path}`, type: "text/html" },
    related: {
      href: proof === undefined ? address : `${baseUrl}${proof.href}`,
      type: proof?.type ?? "application/json"
    },
    ...(summary === undefined ? {} : { summary })
  }
}

export const eventFeed = Effect.fn("explorer.eventFeed")(function* (params: EventParams) {
  const { baseUrl } = yield* HttpSettings
  const events = yield* orProblem(newestEvents(params, keyless, inFeed))
  const query = queryText(
    Object.entries({ symbol: params.symbol, category: params.category, kind: params.kind }).flatMap(
      ([name, value]) => (value === undefined ? [] : [[name, value] as const])
    )
  )
  const self = `${baseUrl}${eventFeedPath}${query === "" ? "" : `?${query}`}`
  return atomResponse({
    id: self,
    title: `Plumbline: what happened${query === "" ? "" : ` (${[params.symbol, params.category, params.kind].filter((one) => one !== undefined).join(", ")})`}`,
    subtitle: "Revisions, incidents, closed days, anchors and disagreements of the last three days",
    self,
    page: `${baseUrl}/changes`,
    entries: events.map((event) => entryOf(event, baseUrl))
  })
})
