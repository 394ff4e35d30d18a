/** `/v1/incidents`. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

const Logged = Schema.Struct({
  n: Schema.Natural.annotate({ description: "Number of the event, counted from 1 without gaps" }),
  log_index: Schema.Natural.annotate({ description: "Zero-based index of the log entry" }),
  sha256: Schema.String.annotate({
    description: "Hash of the entry's document, which /v1/log/documents/{sha256} serves; lower-case hex"
  })
}).annotate({ identifier: "LoggedEvent", description: "Where an event is in the log" })

const IncidentSeries = Schema.Struct({
  incident: Schema.Natural.annotate({ description: "Its own number; leaves name it as `excluded_by`" }),
  symbol: described.symbol,
  metric: described.metric,
  source: described.source,
  from: time("`as_of` of the first reading in the range"),
  closed_at: Schema.optionalKey(time("When it was closed by itself")),
  over_at: Schema.optionalKey(time("When its cause was over"))
}).annotate({ identifier: "IncidentSeries", description: "A series of a fault" })

export const Incident = Schema.Struct({
  id: Schema.Natural.annotate({ description: "Number of the incident; leaves name it as `excluded_by`" }),
  kind: Schema.Literals(["automatic", "manual"]).annotate({
    description: "`automatic`: opened by a check of the service; `manual`: by its operator"
  }),
  symbol: described.symbol,
  metric: described.metric,
  source: Schema.optionalKey(
    Schema.String.annotate({ description: "Label of the upstream feed; absent if all sources are meant" })
  ),
  from: time("`as_of` of the first reading in the range"),
  to: Schema.optionalKey(time("`as_of` of the last one; absent while an open incident has no end yet")),
  reason: Schema.String.annotate({
    description:
      "Why the readings are withheld; or, where it says that it holds none, how the answers of an upstream have changed"
  }),
  opened_at: time("When it was opened"),
  closed_at: Schema.optionalKey(
    time("When it was closed and its readings were accepted; absent while it is open")
  ),
  over_at: Schema.optionalKey(
    time("When its cause was over by itself: what was withheld stays so, and nobody waits for it any longer")
  ),
  series: Schema.optionalKey(
    Schema.Array(IncidentSeries).annotate({
      description:
        "Of a fault that met several series at once: all of them. The other members are of the first that you ask for"
    })
  ),
  note: Schema.optionalKey(Schema.String.annotate({ description: "What the review found" })),
  logged: Schema.Struct({
    opened: Schema.optionalKey(Logged),
    closed: Schema.optionalKey(Logged)
  }).annotate({ description: "Where its opening and closing are in the log, once they are there" }),
  simulated: described.simulated
}).annotate({ identifier: "Incident", description: "Readings that are stored but not served, and why" })
export interface Incident extends Schema.Schema.Type<typeof Incident> {}

export const IncidentsResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  incidents: Schema.Array(Incident).annotate({ description: "Incidents, newest first" }),
  next_cursor: described.next_cursor
}).annotate({ identifier: "IncidentsResponse", description: "Quality incidents, open and closed" })
export interface IncidentsResponse extends Schema.Schema.Type<typeof IncidentsResponse> {}
