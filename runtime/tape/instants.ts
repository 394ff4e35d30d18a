/** The times that the demo's tape tells of. Epoch milliseconds. */
import { Duration } from "effect"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { day, hour } from "../../core/plugin/time.ts"
import { shareOf } from "../collector/RunState.ts"

/** Where the demo's data clock starts. */
export const start = Date.parse("2026-09-05T12:00:00Z")

/** The first day of the tape. */
export const firstDay = Date.parse("2026-08-06T00:00:00Z")

/** The hour of a day's one reading: before 08:00, when the day before is closed, so that what it tells of that day is in time. */
const readingHour = 7

/** From here on there are several readings per day. */
const often = start - 1.5 * day

/** A time that the tape tells of. */
export interface Instant {
  readonly at: number
  /** One of several readings of its day; else the one that every plugin has. */
  readonly extra: boolean
}

/** Before `start`, oldest first: a reading of each day, and of the last day and the morning after it one every three hours. */
export const instants: ReadonlyArray<Instant> = Array.from(
  { length: (start - firstDay) / hour },
  (_, hours) => firstDay + hours * hour
).flatMap((at): ReadonlyArray<Instant> => {
  const hours = (at % day) / hour
  if (hours === readingHour) return [{ at, extra: false }]
  return at >= often && hours % 3 === readingHour % 3 ? [{ at, extra: true }] : []
})

/** Whether a plugin of that cadence reads at an instant: at extra ones only as often as it would itself. */
export const reads = (every: Duration.Input, { at, extra }: Instant): boolean => {
  const hours = Math.min(24, Math.max(1, Math.round(Duration.toHours(every))))
  return !extra || (Math.floor(at / hour) - readingHour) % hours === 0
}

/** When a plugin reads next after `now`: on a grid of its cadence, so that a demo started again reads at the same times. */
export const nextReading = ({ every, id }: Pick<Manifest, "every" | "id">, now: number): number => {
  const cadence = Duration.toMillis(every)
  const base = start + Math.floor((shareOf(id) * cadence) / 1000) * 1000
  return base + Math.ceil((now + 1 - base) / cadence) * cadence
}

/** When it read last at `now`, or reads at that moment. */
export const lastReading = (manifest: Pick<Manifest, "every" | "id">, now: number): number =>
  nextReading(manifest, now) - Duration.toMillis(manifest.every)
