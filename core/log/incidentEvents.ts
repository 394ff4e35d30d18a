/** Openings and closings of incidents as log entries, so that whatever a leaf's `excluded_by` names is on record. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ints } from "../data/ingest/arrays.ts"
import { endless } from "../data/ingest/exclusions.ts"
import { rowsOf } from "../data/rows.ts"
import { isoTime } from "../plugin/Value.ts"
import { canonical } from "../proof/canonical.ts"
import type { DocumentEntry } from "../proof/entry.ts"
import { tagged } from "../proof/leaf.ts"
import { keepDocument } from "./document.ts"

const incidentsTag = "service-incidents-v1"

/** Events of one document. */
const most = 5000

const EventRow = Schema.Struct({
  id: Schema.Int,
  event: Schema.Literals(["opened", "closed"]),
  incident: Schema.Int,
  kind: Schema.Literals(["automatic", "manual"]),
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.NullOr(Schema.String),
  from_as_of: Schema.Date,
  to_as_of: Schema.Date,
  reason: Schema.String,
  at: Schema.Date,
  closing_note: Schema.NullOr(Schema.String)
})
interface EventRow extends Schema.Schema.Type<typeof EventRow> {}

const eventRows = rowsOf(EventRow.fields)
const numberRows = rowsOf({ n: Schema.Int })

/**
 * Stores documents of all events that are not in the log yet. Append `entries` in the same transaction, which must hold the
 * writer lock, then run `placed` with the index of the first.
 */
export const incidentEntries = Effect.fn("incidentEvents.incidentEntries")(function* (
  now: number,
  simulated: boolean
) {
  const sql = yield* SqlClient.SqlClient
  const [known] = yield* sql`select coalesce(max(n), 0) as n from incident_event`.pipe(numberRows)
  const entries: Array<DocumentEntry> = []
  let n = known?.n ?? 0
  while (true) {
    const rows = yield* sql`
      select e.id, e.event, i.id as incident, i.kind, i.symbol, i.metric, i.source, i.from_as_of, i.to_as_of, i.reason,
        case e.event when 'opened' then i.opened_at else i.closed_at end as at, i.closing_note
      from incident_event e join incident i on i.id = e.incident
      where e.n is null order by e.id limit ${most}`.pipe(eventRows)
    if (rows.length === 0) break
    const first = n + 1
    n += rows.length
    const body = canonical({
      v: tagged(incidentsTag, simulated),
      events: rows.map((row, index) => eventOf(row, first + index)),
      ...(simulated ? { simulated: true } : {})
    })
    const entry = yield* keepDocument({ kind: "incidents", subject: `${first}-${n}`, body }, now, simulated)
    yield* sql`
      update incident_event e set n = t.n, document = ${entry.sha256}
      from unnest(${ints(rows.map(({ id }) => id))}, ${ints(rows.map((_, index) => first + index))}) as t(id, n)
      where e.id = t.id`
    entries.push(entry)
  }
  const placed = (place: number) =>
    Effect.forEach(
      entries,
      ({ sha256 }, index) =>
        sql`update incident_event set log_index = ${place + index} where document = ${sha256}`,
      { discard: true }
    )
  return { entries, placed }
})

const eventOf = (row: EventRow, n: number) => {
  const { at, closing_note, event, from_as_of, incident, kind, metric, reason, source, symbol, to_as_of } =
    row
  const open = event === "opened"
  return {
    n,
    event,
    incident,
    kind,
    symbol,
    metric,
    ...(source === null ? {} : { source }),
    from: isoTime(from_as_of.getTime()),
    // The range of an automatic incident grows with what it catches, until it closes.
    ...((open && kind === "automatic") || to_as_of.getTime() >= endless
      ? {}
      : { to: isoTime(to_as_of.getTime()) }),
    reason,
    at: isoTime(at.getTime()),
    ...(open || closing_note === null ? {} : { note: closing_note })
  }
}
