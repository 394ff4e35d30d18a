/** Which runs of a schedule took place: by the service, which states those that did not, and by whoever checks it. */
import type { Schedule } from "./schedule.ts"
import { day as dayMs } from "./time.ts"

/** Times at which a feed is due: `first`, and every so many milliseconds before `end`. Epoch milliseconds. */
export interface Span {
  readonly first: number
  readonly every: number
  readonly end: number
}

/** The times of feeds that nobody has judged yet, oldest first, and the runs that may stand for them. */
export type Awaited = ReadonlyMap<
  string,
  { readonly spans: ReadonlyArray<Span>; readonly ran: ReadonlyArray<number> }
>

/** A time at which a feed was due and nothing ran before the next. Epoch milliseconds. */
export interface Missed {
  readonly plugin: string
  readonly due: number
  readonly until: number
}

/** Timers ring early by a moment. Milliseconds. */
const early = 1000

/** What is awaited with one more schedule: where it begins, the one before ends. */
export const withSchedule = (awaited: Awaited, { day, feeds }: Schedule): Awaited => {
  const begins = Date.parse(day)
  const end = begins + dayMs
  const next = new Map(awaited)
  for (const [plugin, { ran, spans }] of awaited) {
    const cut = spans.map((span) => ({ ...span, end: Math.min(span.end, begins) }))
    next.set(plugin, { ran, spans: cut.filter((span) => span.first < span.end) })
  }
  for (const { every, first, plugin } of feeds) {
    const { ran = [], spans = [] } = next.get(plugin) ?? {}
    next.set(plugin, { ran, spans: [...spans, { first: Date.parse(first), every: every * 1000, end }] })
  }
  return next
}

/** What is awaited with the times of more runs: when they were due, or else began. */
export const withRuns = (
  awaited: Awaited,
  runs: ReadonlyArray<{ readonly plugin: string; readonly at: number }>
): Awaited => {
  const next = new Map(awaited)
  for (const { at, plugin } of runs) {
    const feed = next.get(plugin)
    if (feed !== undefined) next.set(plugin, { ...feed, ran: [...feed.ran, at] })
  }
  return next
}

/** The due times that are over at `upTo`, and what is awaited after them. */
export const judged = (
  awaited: Awaited,
  upTo: number
): { readonly missed: ReadonlyArray<Missed>; readonly awaited: Awaited } => {
  const missed: Array<Missed> = []
  const left = new Map<string, { readonly spans: ReadonlyArray<Span>; readonly ran: ReadonlyArray<number> }>()
  for (const [plugin, { ran, spans }] of awaited) {
    const rest: Array<Span> = []
    for (const [n, { end, every, first }] of spans.entries()) {
      const after = spans[n + 1]?.first ?? Number.POSITIVE_INFINITY
      let due = first
      while (due < end) {
        const until = Math.min(due + every, after)
        if (until > upTo) break
        const [from, to] = [due - early, until - early]
        if (!ran.some((at) => at >= from && at < to)) missed.push({ plugin, due, until })
        due += every
      }
      if (due < end) rest.push({ first: due, every, end })
    }
    const from = (rest[0]?.first ?? upTo) - early
    if (rest.length > 0) left.set(plugin, { spans: rest, ran: ran.filter((at) => at >= from) })
  }
  return { missed, awaited: left }
}
