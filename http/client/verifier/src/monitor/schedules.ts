/** Checks the schedules of a log: one for each day, ahead of it, unless nothing ran until it was entered. */
import { Malformed } from "../../../../../core/proof/bytes.ts"
import type { DocumentEntry } from "../../../../../core/proof/entry.ts"
import type { Finding } from "../../../../../core/proof/finding.ts"
import { clockTolerance } from "../../../../../core/proof/leaf.ts"
import { hourBegins, type RanLeaf } from "../../../../../core/proof/runLeaf.ts"
import type { Schedule } from "../../../../../core/proof/schedule.ts"
import * as s from "../../../../../core/proof/shape.ts"
import { day as dayMs, hour as hourMs } from "../../../../../core/proof/time.ts"
import { comingBack } from "../../../../../core/proof/verifySchedule.ts"
import type { HourRecord } from "./hours.ts"

/** The newest schedule: its hash, its day and its number. */
export interface ScheduleRecord {
  readonly sha256: string
  readonly day: string
  readonly n: number
  /** When it was entered; absent in state files of earlier releases. */
  readonly at?: string
  /** The time before it that no schedule covers, in epoch milliseconds: a service that was away has no run in it. */
  readonly gap?: { readonly from: number; readonly to: number }
}

export const scheduleRecordShape: s.Shape<ScheduleRecord> = {
  sha256: s.hash,
  day: s.day,
  n: s.ordinal,
  at: s.optional(s.time),
  gap: s.optional(s.nested("a time without a schedule", { from: s.number, to: s.number }))
}

/** The time that neither the schedule before nor this one covers. */
const gapBefore = (
  before: ScheduleRecord | undefined,
  { day }: Schedule,
  entered: number
): ScheduleRecord["gap"] => {
  // Before its first schedule a log has none, and says so in each hour.
  if (before === undefined) return undefined
  const begins = Date.parse(day)
  const gap = {
    from: Date.parse(before.day) + dayMs,
    to: entered > begins + clockTolerance ? entered - comingBack : begins
  }
  return gap.from < gap.to ? gap : undefined
}

/** Throws `Malformed` if the log has told of runs in the time that no schedule covers. */
const demandAway = (gap: NonNullable<ScheduleRecord["gap"]>, hours: ReadonlyArray<HourRecord>): void => {
  const ran = hours.find(({ hour, idle }) => {
    const begins = hourBegins(hour)
    return idle !== true && begins >= gap.from && begins + hourMs <= gap.to
  })
  if (ran !== undefined)
    throw new Malformed(
      `no schedule covers the time from ${timeOf(gap.from)} to ${timeOf(gap.to)}, and there were runs in the hour ${ran.hour}`,
      "missing"
    )
}

const timeOf = (ms: number): string => new Date(ms).toISOString()

/** The record after a schedule. Throws `Malformed` if it is not the next one, or came after runs that it should have named. */
export const afterSchedule = (
  before: ScheduleRecord | undefined,
  hours: ReadonlyArray<HourRecord>,
  entry: DocumentEntry,
  document: Schedule
): ScheduleRecord => {
  const { day, feeds, n } = document
  if (before !== undefined && day <= before.day)
    throw new Malformed(`the schedule of ${day} follows that of ${before.day}`, "time")
  const recorded = Date.parse(entry.recorded_at)
  const past = feeds.find(({ first }) => Date.parse(first) < recorded - clockTolerance)
  if (past !== undefined)
    throw new Malformed(
      `it was entered at ${entry.recorded_at}, after the run of ${past.plugin} that was due at ${past.first}`,
      "time"
    )
  if (recorded >= Date.parse(day) + dayMs)
    throw new Malformed(`it was entered at ${entry.recorded_at}, after its day`, "time")
  const gap = document.simulated === true ? undefined : gapBefore(before, document, recorded)
  if (gap !== undefined) demandAway(gap, hours)
  return {
    sha256: entry.sha256,
    day,
    n,
    at: entry.recorded_at,
    ...(gap === undefined ? {} : { gap })
  }
}

/** How long after its first hour of runs a log may have no schedule, in milliseconds: a service enters one as soon as its feeds run. */
const unscheduledFor = 2 * dayMs

/** What is said of a log that has runs and never had a schedule: nobody can see which of them are missing. */
export const withoutSchedule = ({
  first,
  hour,
  schedule
}: {
  readonly first?: string
  readonly hour?: string
  readonly schedule?: ScheduleRecord
}): ReadonlyArray<Finding> =>
  first === undefined ||
  hour === undefined ||
  schedule !== undefined ||
  hourBegins(hour) - hourBegins(first) < unscheduledFor
    ? []
    : [
        {
          what: "promise",
          where: "schedules",
          expected: "a schedule for each day, ahead of it",
          found: `none, from the first hour of runs ${first} to ${hour}: which of them are missing nobody can see`,
          reason: "missing"
        }
      ]

/** Throws `Malformed` if a run took place at a time that the schedules of the log leave out. */
export const demandScheduled = (schedule: ScheduleRecord | undefined, run: RanLeaf): void => {
  if (schedule === undefined || run.simulated === true) return
  const began = Date.parse(run.began)
  if (began >= Date.parse(schedule.day) + dayMs)
    throw new Malformed(
      `the run ${run.run} began at ${run.began}, and the newest schedule is of ${schedule.day}: its day has none`,
      "missing"
    )
  const { gap } = schedule
  if (gap !== undefined && began >= gap.from && began < gap.to)
    throw new Malformed(
      `the run ${run.run} began at ${run.began}, and no schedule covers the time from ${timeOf(gap.from)} to ${timeOf(gap.to)}`,
      "missing"
    )
}
