/** The schedule of a day: which run was to begin when. An entry of kind `schedule`, made ahead of the runs that it names. */
import { Malformed } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"

/** A feed is due at `first`, and every so many seconds after it until the day is over. */
export interface ScheduledFeed {
  readonly plugin: string
  /** Seconds. */
  readonly every: number
  /** A time of the day. */
  readonly first: string
}

export interface Schedule {
  readonly v: Tag<"service-schedule-v1">
  /** Counts the schedules of this log from 1. */
  readonly n: number
  readonly day: string
  /** By plugin. A feed that is not due on this day is left out; where none is, the list is empty. */
  readonly feeds: ReadonlyArray<ScheduledFeed>
  readonly simulated?: true
}

export const scheduleTag = "service-schedule-v1"
export const scheduleKind = "schedule"

const shape: s.Shape<Schedule> = {
  v: s.oneOf<Tag<"service-schedule-v1">>(scheduleTag, `${scheduleTag}-demo`),
  n: s.ordinal,
  day: s.day,
  feeds: s.listOf(s.nested("a feed of a schedule", { plugin: s.name, every: s.ordinal, first: s.time })),
  simulated: s.optional(s.trueOrAbsent)
}

const check = (value: unknown): Schedule => {
  const document = s.readShape("a schedule", value, shape)
  checkTag(document, scheduleTag)
  for (const [place, { first, plugin }] of document.feeds.entries()) {
    const before = document.feeds[place - 1]
    if (before !== undefined && before.plugin >= plugin)
      throw new Malformed("a schedule must name each feed once, in order")
    if (new Date(first).toISOString().slice(0, 10) !== document.day)
      throw new Malformed(`the first run of ${plugin} is due at ${first}, not on ${document.day}`)
  }
  return document
}

/** The document's text. Throws `Malformed` if it is not valid. */
export const scheduleText = (document: Schedule): string => canonical(check(document))

/** Parses the document, which must be canonical JSON. Throws `Malformed`. */
export const parseSchedule = (text: string): Schedule => check(parseCanonical(text))

/** Subject of the document's log entry: its day. */
export const scheduleSubject = ({ day }: Schedule): string => day
