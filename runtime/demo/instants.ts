/** The times that the demo's tape tells of. Epoch milliseconds. */
import { Duration } from "effect"

const hour = 3_600_000
const day = 24 * hour

/** Where the demo's data clock starts. */
export const start = Date.parse("2026-09-05T12:00:00Z")

/** The first day of the tape. */
export const firstDay = Date.parse("2026-08-06T00:00:00Z")

/** A time that the tape tells of. */
export interface Instant {
  readonly at: number
  /** One of the hours of the last day; else the one reading of its day. */
  readonly hourly: boolean
}

/**
 * Before `start`: a reading of each day at 11:00, newest first, so that there is a history soon; then the other hours
 * of the last day, newest first.
 */
export const instants: ReadonlyArray<Instant> = [
  ...Array.from({ length: (start - firstDay) / day - 0.5 }, (_, back) => ({
    at: start - day - hour - back * day,
    hourly: false
  })),
  ...Array.from({ length: 24 }, (_, back) => ({
    at: start - 12 * hour - (back + 1) * hour,
    hourly: true
  })).filter(({ at }) => at !== start - day - hour)
]

/** An upstream that tells one of the days again, six hours later and with other numbers: what a revision comes from. */
export const restated = {
  plugin: "filecoin",
  told: Date.parse("2026-08-28T11:00:00Z"),
  at: Date.parse("2026-08-28T17:00:00Z")
}

/** Whether a plugin of that cadence reads at an instant: hours only as often as it would itself. */
export const reads = (every: Duration.Input, { at, hourly }: Instant): boolean => {
  const hours = Math.max(1, Math.round(Duration.toHours(every)))
  return !hourly || Math.floor(at / hour) % Math.min(hours, 24) === 11 % Math.min(hours, 24)
}

/**
 * When the last reading before `now` was: the recording's own time where that lies in the two hours before, else half
 * an hour ago.
 */
export const lastReading = (recordedAt: number, now: number): number =>
  recordedAt <= now && recordedAt > now - 2 * hour ? recordedAt : now - hour / 2
