/**
 * What happens in the demo's thirty days besides ordinary readings, so that every form in which a day can be published
 * is there to be seen and checked. All of it comes about as it would in a live service: upstreams that fail or restate,
 * and an operator who opens and closes an incident. The same each time. Epoch milliseconds.
 *
 * | day | series | form |
 * |---|---|---|
 * | 2026-08-13 | all | the service stood still: every series is absent but those whose upstream tells a day when it is over, and which it told of the day before are late |
 * | 2026-08-17 | NATIX, all of `natix` | read only after the day's close: late values in the batch of 2026-08-18 |
 * | 2026-08-20 | the log | its key was rotated: two keys sign every head from then on |
 * | 2026-08-20 to 22 | DVPN `nodes_online` | the feed went dark: absent on three days, among others that are there |
 * | 2026-08-24 | STORJ `nodes_online` | an incident excluded the day's value before the close; accepted again on 2026-08-27 |
 * | 2026-08-28 | FIL, all of `filecoin` | the upstream restated the day after its close: revisions in the batch of 2026-08-29 |
 * | from 2026-09-01 | JKL, all of `jackal` | the feed stopped and has failed since |
 * | from 2026-09-04 | one feed in four | a notary states what the sources answered |
 * | from 2026-09-04 | FLUX `nodes_online` | the second operator published another number |
 */
import { day, hour } from "../../core/plugin/time.ts"
import { firstDay, start } from "../tape/instants.ts"

const on = (text: string): number => Date.parse(text)

/** A day without any reading. */
const gap = on("2026-08-13T00:00:00Z")

/** Whether nothing is read at a time. */
export const isStill = (at: number): boolean => at >= gap && at < gap + day

/** A time that an upstream tells of again, or only, at a later time; the readings of a day that are `late` are left out. */
export interface Retold {
  readonly plugin: string
  readonly payloadTime: number
  readonly at: number
}

/** The only reading of its day, after the day's close. */
export const late: Retold = {
  plugin: "natix",
  payloadTime: on("2026-08-17T07:00:00Z"),
  at: on("2026-08-18T10:00:00Z")
}

/** A second telling of a day, with other numbers, after the day's close. */
export const restated: Retold = {
  plugin: "filecoin",
  payloadTime: on("2026-08-28T07:00:00Z"),
  at: on("2026-08-29T15:00:00Z")
}

const outages: ReadonlyArray<{ readonly plugin: string; readonly from: number; readonly until: number }> = [
  { plugin: "sentinel", from: on("2026-08-20T00:00:00Z"), until: on("2026-08-23T00:00:00Z") },
  { plugin: "jackal", from: on("2026-09-01T00:00:00Z"), until: Infinity }
]

/** Whether the upstreams of a plugin answer 503. */
export const isOut = (plugin: string, at: number): boolean =>
  outages.some((outage) => outage.plugin === plugin && at >= outage.from && at < outage.until)

/** An incident that an operator opens and closes. */
export const incident = {
  opened: on("2026-08-24T20:00:00Z"),
  closed: on("2026-08-27T15:00:00Z"),
  range: {
    symbol: "STORJ",
    metric: "nodes_online",
    from: on("2026-08-24T00:00:00Z"),
    to: on("2026-08-25T00:00:00Z") - 1
  },
  reason: "demo: a satellite was being moved and may have counted nodes twice",
  note: "demo: the operator of the satellites confirmed the count"
}

/** From here on a notary states what the sources answered: on the last closed day, and after it. */
export const notarisedFrom = on("2026-09-04T00:00:00Z")

/** The figure of which the second operator has another number than the demo: so many times its own. */
export const otherNumber = { symbol: "FLUX", metric: "nodes_online", factor: 0.97 }

/** When the log's key is rotated. */
export const rotated = on("2026-08-20T15:00:00Z")

/** The days that are closed. */
export const days: ReadonlyArray<string> = Array.from(
  { length: Math.floor((start - firstDay) / day) },
  (_, n) => new Date(firstDay + n * day).toISOString().slice(0, 10)
)

/** When a day is closed. */
export const cutOffOf = (date: string): number => on(date) + day + 8 * hour

/** When something other than a reading happens, in order: `pastEvents.ts` says what. */
export const moments: ReadonlyArray<number> = [
  ...days.map(cutOffOf),
  rotated,
  incident.opened,
  incident.closed
].sort((a, b) => a - b)
