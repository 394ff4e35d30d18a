/** Openings and closings of incidents as log entries, so that whatever a leaf's `excluded_by` names is on record. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../plugin/Value.ts"
import type { DocumentEntry } from "../proof/entry.ts"
import {
  type IncidentEvent,
  type IncidentEvents,
  incidentsSubject,
  incidentsTag,
  incidentsText
} from "../proof/incidents.ts"
import { tagged } from "../proof/leaf.ts"
import { ints } from "../readings/ingest/arrays.ts"
import { endless } from "../readings/ingest/write/exclusions.ts"
import { rowsOf } from "../sql/rows.ts"
import { keepDocument } from "./document.ts"

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
  const [newest] = yield* sql`select coalesce(max(n), 0) as n from incident_event`.pipe(numberRows)
  const entries: Array<DocumentEntry> = []
  let n = newest?.n ?? 0
  while (true) {
    const rows = yield* sql`
      select e.id, e.event, i.id as incident, i.kind, i.symbol, i.metric, i.source, i.from_as_of, i.to_as_of, i.reason,
        case e.event when 'opened' then i.opened_at else i.closed_at end as at, i.closing_note
      from incident_event e join incident i on i.id = e.incident
      where e.n is null order by e.id limit ${most}`.pipe(eventRows)
    if (rows.length === 0) break
    const first = n + 1
    n += rows.length
    const document: IncidentEvents = {
      v: tagged(incidentsTag, simulated),
      events: rows.map((row, index) => eventOf(row, first + index)),
      ...(simulated ? { simulated: true } : {})
    }
    const entry = yield* keepDocument(
      { kind: "incidents", subject: incidentsSubject(document), body: incidentsText(document) },
      now,
      simulated
    )
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

const eventOf = (row: EventRow, n: number): IncidentEvent => {
  const { at, closing_note, event, from_as_of, incident, kind, source } = row
  const open = event === "opened"
  const to = endOf(row, open ? null : at)
  return {
    n,
    event,
    incident,
    kind,
    symbol: visible(row.symbol),
    metric: visible(row.metric),
    ...(source === null ? {} : { source: visible(source) }),
    from: isoTime(from_as_of.getTime()),
    ...(to === undefined ? {} : { to: isoTime(to) }),
    reason: row.reason === "" ? "no reason given" : row.reason,
    at: isoTime(at.getTime()),
    ...(open || closing_note === null || closing_note === "" ? {} : { note: closing_note })
  }
}

/**
 * The last `as_of` that an incident covers, epoch milliseconds; undefined while its range may still grow: that of an automatic
 * one until it is closed, and a manual one without an end.
 */
export const endOf = (
  incident: {
    readonly kind: "automatic" | "manual"
    readonly from_as_of: Date
    readonly to_as_of: Date
  },
  closed: Date | null
): number | undefined => {
  const to = incident.to_as_of.getTime()
  if (closed === null) return incident.kind === "automatic" || to >= endless ? undefined : to
  return to >= endless ? Math.max(incident.from_as_of.getTime(), closed.getTime()) : to
}

// A name that cannot be published must not stop the log: the series is unlikely to be ours.
const visible = (name: string): string => name.replace(/\p{Cc}/gu, "\ufffd") || "\ufffd"
