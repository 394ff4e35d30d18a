/** `/v1/events`: the feed as a list. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import { texts } from "../../readings/ingest/arrays.ts"
import { type Access, accessNote } from "../../readings/read/Access.ts"
import { type Raw, wholeNumber } from "../../readings/read/parameters.ts"
import { Versions } from "../../readings/read/Versions.ts"
import { rowsOf } from "../../sql/rows.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import type { EventsResponse } from "../../wire/events/event.ts"
import { EventFeed, gapAfter } from "../EventFeed.ts"
import { type EventParams, filterOf, isSampled, sampleOfNetworks } from "./filter.ts"

/** The greatest id that a JSON number holds exactly. */
export const mostId = Number.MAX_SAFE_INTEGER

/** Characters of all events in one answer; at least one event is in it. */
const mostText = 1024 * 1024

const eventRows = rowsOf({ id: Schema.Finite, body: Schema.String })

/** Everything of the answer but the events, which are served as they are stored. */
export interface EventsPage {
  readonly head: Omit<EventsResponse, "events">
  readonly events: ReadonlyArray<string>
}

/** One page, oldest first. Fails with `BadParameter` and `UnknownSymbol`. */
export const events = Effect.fn("Events.events")(function* (
  params: EventParams & { readonly access: Access; readonly after?: Raw; readonly limit?: Raw }
) {
  const limit = yield* wholeNumber("limit", params.limit, { min: 1, max: 500, fallback: 100 })
  const after = yield* wholeNumber("after", params.after, { min: 0, max: mostId, fallback: 0 })
  const filter = yield* filterOf(params)
  const sample = isSampled(filter, params.access) ? yield* sampleOfNetworks : undefined
  const { category, kinds, symbols } = filter
  const sql = yield* SqlClient.SqlClient
  const generated = yield* (yield* Versions).changedAt(dependenciesOf.events)
  const feed = yield* EventFeed
  // Before the page: what is added meanwhile is not passed over.
  const bounds = yield* feed.bounds
  const names = (set: ReadonlySet<string> | undefined) => (set === undefined ? null : texts([...set]))
  const rows = yield* sql`
    select id::float8 as id, body from event
    where id > ${after} and id <= ${bounds.newest}
      and (${names(kinds)}::text[] is null or kind = any(${names(kinds)}))
      and (${names(symbols)}::text[] is null or symbol = any(${names(symbols)}))
      and (${category ?? null}::text is null or category = ${category ?? null})
      and (${names(sample)}::text[] is null or kind <> 'values' or symbol = any(${names(sample)}))
    order by id limit ${limit}`.pipe(eventRows)
  let text = 0
  const pageRows = rows.filter(({ body }, n) => {
    text += body.length
    return n === 0 || text <= mostText
  })
  const more = rows.length === limit || pageRows.length < rows.length
  const gap = params.after === undefined ? undefined : gapAfter(after, bounds)
  const page: EventsPage = {
    events: pageRows.map(({ body }) => body),
    head: {
      generated_utc: isoTime(generated),
      next_after: more ? (pageRows.at(-1)?.id ?? bounds.newest) : bounds.newest,
      more,
      oldest_id: bounds.oldest,
      newest_id: bounds.newest,
      ...(gap === undefined ? {} : { gap }),
      access: accessNote(params.access)
    }
  }
  return page
})

/** The answer as JSON text. */
export const eventsText = ({ events, head }: EventsPage): string => {
  const { generated_utc, ...rest } = head
  return `{"generated_utc":${JSON.stringify(generated_utc)},"events":[${events.join(",")}],${JSON.stringify(rest).slice(1)}`
}
