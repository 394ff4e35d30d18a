/** The document of the incidents opened and closed since the last one: log entries of kind `incidents` commit to it. */
import { Malformed } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"

/** An incident was opened or closed. While it is open, the readings it covers are kept out of what is served. */
export interface IncidentEvent {
  /** Counts the events from 1, without gaps, over all documents. */
  readonly n: number
  readonly event: "opened" | "closed"
  /** The incident's id, as in a leaf's `excluded_by`. */
  readonly incident: number
  /** `automatic`: a guard opened it. `manual`: the operator did. */
  readonly kind: "automatic" | "manual"
  readonly symbol: string
  readonly metric: string
  /** Absent if it covers every source. */
  readonly source?: string
  /** First `as_of` it covers. */
  readonly from: string
  /** Last `as_of` it covers. An automatic incident has none while it is open, nor has one that lasts until it is closed. */
  readonly to?: string
  readonly reason: string
  readonly at: string
  readonly note?: string
}

export interface IncidentEvents {
  readonly v: Tag<"service-incidents-v1">
  readonly events: ReadonlyArray<IncidentEvent>
  readonly simulated?: true
}

export const incidentsTag = "service-incidents-v1"

const eventShape: s.Shape<IncidentEvent> = {
  n: s.ordinal,
  event: s.oneOf("opened", "closed"),
  incident: s.ordinal,
  kind: s.oneOf("automatic", "manual"),
  symbol: s.name,
  metric: s.name,
  source: s.optional(s.name),
  from: s.time,
  to: s.optional(s.time),
  reason: s.nonEmpty,
  at: s.time,
  note: s.optional(s.nonEmpty)
}

const shape: s.Shape<IncidentEvents> = {
  v: s.oneOf<Tag<"service-incidents-v1">>(incidentsTag, `${incidentsTag}-demo`),
  events: s.listOf(s.nested("an event of an incident", eventShape)),
  simulated: s.optional(s.trueOrAbsent)
}

const check = (value: unknown): IncidentEvents => {
  const document = s.readShape("a document of incidents", value, shape)
  checkTag(document, incidentsTag)
  if (document.events.length === 0) throw new Malformed("a document of incidents must not be empty")
  for (const [place, one] of document.events.entries()) {
    const before = document.events[place - 1]
    if (before !== undefined && one.n !== before.n + 1)
      throw new Malformed(`event ${one.n} follows event ${before.n}: events are missing or out of order`)
    if (one.to === undefined && one.event === "closed")
      throw new Malformed(`event ${one.n}: \`to\` may be absent only while the incident is open`)
    if (one.to !== undefined && Date.parse(one.to) < Date.parse(one.from))
      throw new Malformed(`event ${one.n}: the incident ends at ${one.to}, before it begins at ${one.from}`)
  }
  return document
}

/** The document's text. Throws `Malformed` if it is not valid. */
export const incidentsText = (document: IncidentEvents): string => canonical(check(document))

/** Parses the document, which must be canonical JSON. Throws `Malformed`. */
export const parseIncidents = (text: string): IncidentEvents => check(parseCanonical(text))

/** Subject of the document's log entry: `<first n>-<last n>`. */
export const incidentsSubject = ({ events }: IncidentEvents): string => `${events[0]?.n}-${events.at(-1)?.n}`
