/** The newest events of the feed, for who reads what happened rather than follows it. */
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { texts } from "../../readings/ingest/arrays.ts"
import type { Access } from "../../readings/read/Access.ts"
import { Readable } from "../../readings/read/readable.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Event } from "../../wire/events/event.ts"
import { type EventParams, filterOf, isSampled, sampleOfNetworks } from "./filter.ts"
import { readableEvent } from "./readableEvent.ts"

const bodyRows = rowsOf({ body: Schema.String })

/** A process of a newer release may have written an event of a kind that is not known here. */
const decodeEvent = Schema.decodeUnknownOption(Schema.fromJsonString(Event))

/**
 * The newest events that match, newest first, at most `limit`. Without `kind` those of new values are left out: they come
 * every few minutes, and nothing else would be seen among them. Of values those that are read (`Readable`). Fails with `BadParameter` and `UnknownSymbol`.
 */
export const newestEvents = Effect.fn("Events.newestEvents")(function* (
  params: EventParams,
  access: Access,
  limit: number
) {
  const filter = yield* filterOf(params)
  const sample = isSampled(filter, access) ? yield* sampleOfNetworks : undefined
  const { category, kinds, symbols } = filter
  const sql = yield* SqlClient.SqlClient
  const names = (set: ReadonlySet<string> | undefined) => (set === undefined ? null : texts([...set]))
  // Written out, for the index of the few that are not values.
  const butValues = sql.literal(kinds?.has("values") === true ? "" : "and kind <> 'values'")
  const rows = yield* sql`
    select body from event
    where (${names(kinds)}::text[] is null or kind = any(${names(kinds)}))
      and (${names(symbols)}::text[] is null or symbol = any(${names(symbols)}))
      and (${category ?? null}::text is null or category = ${category ?? null})
      and (${names(sample)}::text[] is null or kind <> 'values' or symbol = any(${names(sample)}))
      ${butValues}
    order by id desc limit ${limit}`.pipe(bodyRows)
  const may = yield* Readable
  const events = rows.flatMap(({ body }) => Option.toArray(decodeEvent(body)))
  return may === undefined ? events : events.flatMap((event) => readableEvent(event, may) ?? [])
})
