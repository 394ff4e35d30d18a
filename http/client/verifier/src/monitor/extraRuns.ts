/** Counts the runs beside the schedule: who may run as often as he likes, and have what he likes, chooses his values. */
import { Malformed } from "../../../../../core/proof/bytes.ts"
import { isAnswerToSchedule, type RanLeaf, type RunLeaf } from "../../../../../core/proof/runLeaf.ts"
import type { Schedule } from "../../../../../core/proof/schedule.ts"
import * as s from "../../../../../core/proof/shape.ts"
import { day as dayMs } from "../../../../../core/proof/time.ts"

/** What is known of a feed on the day of the newest schedule. */
interface FeedCount {
  readonly plugin: string
  /** How often it is due on the day. */
  readonly due: number
  /** Runs of the day that gave rows, and those of a time that another run was due at. */
  readonly ran: number
  readonly again: number
  /** The newest due time of a run. */
  readonly last?: string
  /** Days one after the other on which it gave rows and no schedule named it. */
  readonly unnamed: number
}

export interface DayCount {
  readonly day: string
  /** What ran before the day's schedule was entered is not counted. */
  readonly since: string
  readonly feeds: ReadonlyArray<FeedCount>
}

const feedShape: s.Shape<FeedCount> = {
  plugin: s.name,
  due: s.count,
  ran: s.count,
  again: s.count,
  last: s.optional(s.time),
  unnamed: s.count
}

export const dayCountShape: s.Shape<DayCount> = {
  day: s.day,
  since: s.time,
  feeds: s.listOf(s.nested("a feed of the day", feedShape))
}

/** Runs of a feed and day beside the schedule that are no finding, and their share of those that were due. The formats page states both. */
const allowed = 3
const share = 0.1

/** Days on which a feed may run without a schedule that names it: it is new, and the next schedule has it. */
const unnamedDays = 2

const timesOf = ({ every, first }: Schedule["feeds"][number], day: string): number =>
  Math.ceil((Date.parse(day) + dayMs - Date.parse(first)) / (every * 1000))

/** The count of the day of a schedule, before any of its runs. */
const countOf = ({ day, feeds }: Schedule, entered: string, before: DayCount | undefined): DayCount => {
  const due = new Map(feeds.map((feed) => [feed.plugin, timesOf(feed, day)]))
  const isNext = before !== undefined && Date.parse(before.day) + dayMs === Date.parse(day)
  const ran = new Map((isNext ? before.feeds : []).map((feed) => [feed.plugin, feed]))
  return {
    day,
    since: entered,
    feeds: [...new Set([...due.keys(), ...ran.keys()])].sort().map((plugin) => {
      const last = ran.get(plugin)
      const wasUnnamed = last !== undefined && last.due === 0 && last.ran > 0
      return {
        plugin,
        due: due.get(plugin) ?? 0,
        ran: 0,
        again: 0,
        ...(last?.last === undefined ? {} : { last: last.last }),
        unnamed: due.has(plugin) || !wasUnnamed ? 0 : last.unnamed + 1
      }
    })
  }
}

/** The counts with that of another schedule. The day before goes on: its schedule is followed by the next before it is over. */
export const withCount = (
  counts: ReadonlyArray<DayCount> = [],
  schedule: Schedule,
  entered: string
): ReadonlyArray<DayCount> => [...counts, countOf(schedule, entered, counts.at(-1))].slice(-2)

/** Runs beside the schedule: those that gave rows beyond the times at which the feed was due, and those of a due time that had one. */
const extraOf = ({ again, due, ran }: FeedCount): number => Math.max(again, ran - due)

const isCounted = ({ day, since }: DayCount, run: RanLeaf): boolean =>
  isAnswerToSchedule(run) &&
  (run.due ?? run.began).slice(0, 10) === day &&
  Date.parse(run.began) >= Date.parse(since)

const withRun = (feeds: ReadonlyArray<FeedCount>, run: RanLeaf): ReadonlyArray<FeedCount> => {
  const { due, late, outcome, plugin } = run
  const none: FeedCount = { plugin, due: 0, ran: 0, again: 0, unnamed: 0 }
  const feed = feeds.find((one) => one.plugin === plugin) ?? none
  const isAgain =
    due !== undefined && late !== true && feed.last !== undefined && Date.parse(due) <= Date.parse(feed.last)
  const gaveRows = outcome === "stored" || outcome === "unchanged"
  const next: FeedCount = {
    ...feed,
    ran: feed.ran + (gaveRows ? 1 : 0),
    again: feed.again + (isAgain ? 1 : 0),
    ...(due === undefined || isAgain || late === true ? {} : { last: due })
  }
  return [...feeds.filter((one) => one.plugin !== plugin), next]
}

/** Throws `Malformed` if a feed ran beside the schedule more often than the page says it may. */
const demandFew = ({ day }: DayCount, feed: FeedCount): void => {
  const { due, plugin, ran, unnamed } = feed
  const extra = extraOf(feed)
  if (due > 0 && extra > Math.max(allowed, share * due))
    throw new Malformed(
      `${plugin} was due ${due} times on ${day}, and ran ${extra} times beside the schedule: of so many runs somebody can choose`,
      "contradiction"
    )
  if (due === 0 && ran > 0 && unnamed >= unnamedDays)
    throw new Malformed(
      `${plugin} ran on ${unnamed + 1} days up to ${day}, and no schedule names it: nobody sees which of its runs are missing`,
      "missing"
    )
}

/** The count after the runs of an hour. Throws `Malformed` if there are too many beside the schedule. */
export const withCounted = (count: DayCount, leaves: ReadonlyArray<RunLeaf>): DayCount => {
  const runs = leaves.filter((leaf): leaf is RanLeaf => leaf.outcome !== "skipped" && isCounted(count, leaf))
  const after = { ...count, feeds: runs.reduce(withRun, count.feeds) }
  for (const feed of after.feeds) demandFew(after, feed)
  return after
}

/** What is said of a day that had some, though not too many. */
export const saysExtra = ({ day, feeds }: DayCount): ReadonlyArray<string> =>
  feeds.flatMap((feed) => {
    const extra = extraOf(feed)
    return extra === 0
      ? []
      : [
          feed.due === 0
            ? `schedule: ${extra} runs of ${feed.plugin} on ${day}, which no schedule names`
            : `schedule: ${extra} runs of ${feed.plugin} on ${day} beside the ${feed.due} that were due`
        ]
  })
