/** How old a value is, in the words of the interface. */
import { day, hour } from "../../plugin/time.ts"
import type { Freshness } from "../../wire/data/freshness.ts"

/** From this age on a value is `static`: its series is not live any more, and its network not available by it. */
export const staticAge = 7 * day

/** The label of an age in milliseconds; a boundary belongs to the older label. */
export const freshness = (age: number): Freshness =>
  age < 2 * hour ? "live" : age < 26 * hour ? "recent" : age < staticAge ? "stale" : "static"

/** `staleness_flag`: 26 hours old or more, or older than twice the cadence of the feed. All in milliseconds. */
export const isStale = (age: number, cadence: number): boolean => age >= 26 * hour || age > 2 * cadence
