/**
 * The entries of a notary's own log, one line of canonical JSON each: what became of every session that it opened, under a number
 * that has no gap for each collector and day, and after a day their sums. So a session that was opened and not stated is seen.
 */
import { inPlace, Malformed } from "./bytes.ts"
import { canonical, isRecord, parseCanonical } from "./canonical.ts"
import { demand } from "./check.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"

interface Numbered {
  readonly v: Tag<"service-notary-session-v1">
  readonly collector: string
  /** The UTC day on which the session was opened. */
  readonly day: string
  /** From 1. */
  readonly n: number
  readonly at: string
  readonly simulated?: true
}

export interface SessionOpened extends Numbered {
  readonly what: "opened"
  readonly host: string
}

export interface SessionStated extends Numbered {
  readonly what: "stated"
  /** SHA-256 of the signed note. */
  readonly note: string
}

/** `refused`: the collector disclosed, and the notary does not state what it found. `lost`: nobody disclosed in time, or the tape was dropped. */
export interface SessionUnstated extends Numbered {
  readonly what: "refused" | "lost"
  readonly why: string
}

export interface NotaryDay {
  readonly v: Tag<"service-notary-day-v1">
  readonly collector: string
  readonly day: string
  readonly opened: number
  readonly stated: number
  readonly refused: number
  readonly lost: number
  readonly simulated?: true
}

export type SessionEntry = SessionOpened | SessionStated | SessionUnstated
export type NotaryEntry = SessionEntry | NotaryDay

export const notarySessionTag = "service-notary-session-v1"
export const notaryDayTag = "service-notary-day-v1"

const numbered = {
  v: s.oneOf<Tag<"service-notary-session-v1">>(notarySessionTag, `${notarySessionTag}-demo`),
  collector: s.name,
  day: s.day,
  n: s.ordinal,
  at: s.time,
  simulated: s.optional(s.trueOrAbsent)
}

const openedShape: s.Shape<SessionOpened> = { ...numbered, what: s.oneOf("opened"), host: s.name }
const statedShape: s.Shape<SessionStated> = { ...numbered, what: s.oneOf("stated"), note: s.hash }
const unstatedShape: s.Shape<SessionUnstated> = {
  ...numbered,
  what: s.oneOf("refused", "lost"),
  why: s.nonEmpty
}

const dayShape: s.Shape<NotaryDay> = {
  v: s.oneOf<Tag<"service-notary-day-v1">>(notaryDayTag, `${notaryDayTag}-demo`),
  collector: s.name,
  day: s.day,
  opened: s.count,
  stated: s.count,
  refused: s.count,
  lost: s.count,
  simulated: s.optional(s.trueOrAbsent)
}

const readSession = (value: Readonly<Record<string, unknown>>): SessionEntry => {
  const what = "a session of a notary"
  if (value["what"] === "opened") return s.readShape(what, value, openedShape)
  if (value["what"] === "stated") return s.readShape(what, value, statedShape)
  return s.readShape(what, value, unstatedShape)
}

const check = (value: unknown): NotaryEntry => {
  if (!isRecord(value)) throw new Malformed("an entry of a notary's log must be an object")
  const isSession = value["what"] !== undefined
  const entry = isSession ? readSession(value) : s.readShape("a day of a notary", value, dayShape)
  checkTag(entry, isSession ? notarySessionTag : notaryDayTag)
  return entry
}

/** The entry's canonical JSON. Throws `Malformed` if it is not valid. */
export const notaryEntryText = (entry: NotaryEntry): string => canonical(check(entry))

/** Parses an entry, which must be canonical JSON. Throws `Malformed`. */
export const parseNotaryEntry = (text: string): NotaryEntry => check(parseCanonical(text))

/** How the sessions of one collector and day stand. */
export interface SessionCounts {
  readonly opened: number
  readonly stated: number
  readonly refused: number
  readonly lost: number
}

type Outcome = Exclude<keyof SessionCounts, "opened">

const noSessions: SessionCounts = { opened: 0, stated: 0, refused: 0, lost: 0 }

/** The sessions of one collector and day, as the entries so far tell of them. */
class Sessions {
  readonly open: Set<number>
  counts: SessionCounts
  isOver = false

  constructor(counts: SessionCounts = noSessions, open: ReadonlyArray<number> = []) {
    this.counts = counts
    this.open = new Set(open)
  }

  opened(n: number): void {
    demand(
      n === this.counts.opened + 1,
      `session ${n} was opened after session ${this.counts.opened}`,
      "contradiction"
    )
    this.open.add(n)
    this.counts = { ...this.counts, opened: n }
  }

  ended(n: number, outcome: Outcome): void {
    demand(this.open.delete(n), `session ${n} ended without being open`, "contradiction")
    this.counts = { ...this.counts, [outcome]: this.counts[outcome] + 1 }
  }

  over(sums: SessionCounts): void {
    demand(this.open.size === 0, "a day was over while sessions were open", "contradiction")
    for (const name of ["opened", "stated", "refused", "lost"] as const)
      demand(
        sums[name] === this.counts[name],
        `\`${name}\` of the sessions is ${this.counts[name]}, but the day says ${sums[name]}`,
        "contradiction"
      )
    this.isOver = true
  }
}

/** Where the sessions of a collector and a day stand that is not over yet. */
export interface OpenDay {
  readonly collector: string
  readonly day: string
  readonly counts: SessionCounts
  /** Numbers of sessions without an outcome. */
  readonly open: ReadonlySet<number>
}

/** The sessions of a collector and a day, as who follows the log remembers them. */
export interface SessionsRecord extends SessionCounts {
  readonly collector: string
  readonly day: string
  /** Numbers of sessions without an outcome. */
  readonly open: ReadonlyArray<number>
  /** Its sums are in the log. */
  readonly is_over: boolean
}

export const sessionsRecordShape: s.Shape<SessionsRecord> = {
  collector: s.name,
  day: s.day,
  opened: s.count,
  stated: s.count,
  refused: s.count,
  lost: s.count,
  open: s.listOf(s.ordinal),
  is_over: s.flag
}

/** Characters of a day, with which the key of a day and a collector begins. */
const charactersOfDay = 10

const firstDay = "1970-01-01"

const placeOf = (key: string) => ({
  collector: key.slice(charactersOfDay + 1),
  day: key.slice(0, charactersOfDay)
})

/** Follows the entries of a notary's log in their order. */
export class NotarySessions {
  private readonly days = new Map<string, Sessions>()
  private newest = firstDay

  /** Goes on from where it stood. */
  constructor(records: ReadonlyArray<SessionsRecord> = []) {
    for (const { collector, day, is_over, open, ...counts } of records) {
      const sessions = new Sessions(counts, open)
      sessions.isOver = is_over
      this.days.set(`${day} ${collector}`, sessions)
      this.turn(day)
    }
  }

  /** The newest day that has an entry; the first of all before there is one. A session is opened on it, or on a later one. */
  get newestDay(): string {
    return this.newest
  }

  /** Where it stands, in the order of days and collectors. */
  records(): ReadonlyArray<SessionsRecord> {
    return this.inOrder().map(([key, { counts, isOver, open }]) => ({
      ...placeOf(key),
      ...counts,
      open: [...open].sort((a, b) => a - b),
      is_over: isOver
    }))
  }

  /** Throws `Malformed` unless the entry may follow those before it. */
  add(entry: NotaryEntry): void {
    const key = `${entry.day} ${entry.collector}`
    const sessions = this.days.get(key) ?? new Sessions()
    demand(!sessions.isOver, `the day ${entry.day} of ${entry.collector} was over`, "contradiction")
    demand(
      !("what" in entry) || entry.what !== "opened" || entry.day >= this.newest,
      `a session was opened on ${entry.day}, and there are entries of ${this.newest}`,
      "time"
    )
    try {
      if (!("what" in entry)) sessions.over(entry)
      else if (entry.what === "opened") sessions.opened(entry.n)
      else sessions.ended(entry.n, entry.what)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      throw inPlace(`${entry.collector}, ${entry.day}`, error)
    }
    this.days.set(key, sessions)
    this.turn(entry.day)
  }

  /** Where a session is that is opened now: on this day, or on the newest one of the log, where a clock was set back. */
  next(collector: string, today: string): { readonly day: string; readonly n: number } {
    if (today < this.newest) return this.next(collector, this.newest)
    return { day: today, n: (this.days.get(`${today} ${collector}`)?.counts.opened ?? 0) + 1 }
  }

  /** Days without their sums, in order. */
  openDays(): ReadonlyArray<OpenDay> {
    return this.inOrder()
      .filter(([, { isOver }]) => !isOver)
      .map(([key, { counts, open }]) => ({ ...placeOf(key), counts, open }))
  }

  /** Forgets days that are over before this one, which no entry may be of. */
  forget(before: string): void {
    for (const [key, { isOver }] of this.days)
      if (isOver && key.slice(0, charactersOfDay) < before) this.days.delete(key)
  }

  private turn(day: string): void {
    if (day > this.newest) this.newest = day
  }

  private inOrder(): ReadonlyArray<readonly [key: string, sessions: Sessions]> {
    return [...this.days].sort(([a], [b]) => (a < b ? -1 : 1))
  }
}
