/** The document of a day's events: log entries of kind `events` commit to it, and so to the chain of events up to its head. */
import { Malformed } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"

export interface EventsDocument {
  readonly v: Tag<"service-events-v1">
  /** The UTC day in which the last of the events entered the feed; the first may be of an earlier day. */
  readonly day: string
  /** Ids of the first and the last event: the first follows the last one of the document before. */
  readonly first: number
  readonly last: number
  /** Number of events: ids have no gaps. */
  readonly n: number
  /** Hash (`eventHash`) of the last event. */
  readonly head: string
  readonly simulated?: true
}

export const eventsTag = "service-events-v1"
/** The kind of the document's log entry. */
export const eventsKind = "events"

const shape: s.Shape<EventsDocument> = {
  v: s.oneOf<Tag<"service-events-v1">>(eventsTag, `${eventsTag}-demo`),
  day: s.day,
  first: s.ordinal,
  last: s.ordinal,
  n: s.ordinal,
  head: s.hash,
  simulated: s.optional(s.trueOrAbsent)
}

const check = (value: unknown): EventsDocument => {
  const document = s.readShape("a document of events", value, shape)
  checkTag(document, eventsTag)
  const { first, last, n } = document
  if (last - first + 1 !== n)
    throw new Malformed(`a document of events from ${first} to ${last} must have an n of ${last - first + 1}`)
  return document
}

/** The document's text. Throws `Malformed` if it is not valid. */
export const eventsText = (document: EventsDocument): string => canonical(check(document))

/** Parses the document, which must be canonical JSON. Throws `Malformed`. */
export const parseEvents = (text: string): EventsDocument => check(parseCanonical(text))

/** Subject of the document's log entry: its day. */
export const eventsSubject = ({ day }: EventsDocument): string => day
