/** The chain of events as log entries, so that nobody can be given other events than everybody else. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day as dayMs } from "../plugin/time.ts"
import { hashOfServed } from "../proof/event.ts"
import {
  type EventsDocument,
  eventsKind,
  eventsSubject,
  eventsTag,
  eventsText,
  parseEvents
} from "../proof/eventsDocument.ts"
import { tagged } from "../proof/leaf.ts"
import { rowsOf } from "../sql/rows.ts"
import { keepDocument } from "./document.ts"

const documentRows = rowsOf({ body: Schema.String })
const eventRows = rowsOf({ id: Schema.Finite, oldest: Schema.Finite, body: Schema.String })

/** Hash of a stored event; undefined, and an error in the log of the service, if its row was damaged. */
export const hashOfStored = ({ body, id }: { readonly id: number; readonly body: string }) =>
  Effect.try({ try: () => hashOfServed(JSON.parse(body)), catch: (cause) => cause }).pipe(
    Effect.catch((cause) =>
      Effect.as(
        Effect.logError("a stored event cannot be read, so the chain of events begins again after it", {
          id,
          cause: String(cause)
        }),
        undefined
      )
    )
  )

/**
 * Stores the document of the events up to the end of a day; returns its log entry, or none if nothing happened since the last
 * one. The events of the day are still there: they are kept for longer than a day is open.
 */
export const eventsEntries = Effect.fn("eventsEntry.eventsEntries")(function* (
  day: string,
  now: number,
  simulated: boolean
) {
  const sql = yield* SqlClient.SqlClient
  const end = new Date(Date.parse(day) + dayMs)
  const [newest] = yield* sql`
    select body from document where kind = ${eventsKind} order by subject desc limit 1`.pipe(documentRows)
  const [head] = yield* sql`
    select id::float8 as id, body, (select min(id) from event)::float8 as oldest
    from event where at < ${end} order by id desc limit 1`.pipe(eventRows)
  const logged = newest === undefined ? undefined : parseEvents(newest.body).last
  if (head === undefined || head.id <= (logged ?? 0)) return []
  const hash = yield* hashOfStored(head)
  if (hash === undefined) return []
  const first = logged === undefined ? head.oldest : logged + 1
  const document: EventsDocument = {
    v: tagged(eventsTag, simulated),
    day,
    first,
    last: head.id,
    n: head.id - first + 1,
    head: hash,
    ...(simulated ? { simulated: true } : {})
  }
  return [
    yield* keepDocument(
      { kind: eventsKind, subject: eventsSubject(document), body: eventsText(document) },
      now,
      simulated
    )
  ]
})
