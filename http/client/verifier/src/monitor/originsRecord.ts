/** What a monitor remembers of the origins of days. */
import type { BatchEntry } from "../../../../../core/proof/entry.ts"
import * as s from "../../../../../core/proof/shape.ts"

/** A batch of which no origin was seen yet. */
export interface OwingDay {
  readonly day: string
  readonly closed_at: string
}

/** What is remembered of origins. */
export interface OriginsRecord {
  /** The first day of this log that has one. */
  readonly first?: string
  readonly owing: ReadonlyArray<OwingDay>
}

export const originsShape: s.Shape<OriginsRecord> = {
  first: s.optional(s.day),
  owing: s.listOf(s.nested("a day without an origin", { day: s.day, closed_at: s.time }))
}

const noOrigins: OriginsRecord = { owing: [] }

/** Days without one that are remembered. */
const mostOwing = 1000

/** What is known after a batch: its origin is to come. */
export const owingAfter = (
  { first, owing }: OriginsRecord = noOrigins,
  { closed_at, days: [day] }: BatchEntry
): OriginsRecord => ({
  ...(first === undefined ? {} : { first }),
  owing: [...owing, { day, closed_at }].slice(-mostOwing)
})

/** What is known after the origin of a day. */
export const originsAfter = ({ first, owing }: OriginsRecord = noOrigins, day: string): OriginsRecord => ({
  first: first ?? day,
  owing: owing.filter((one) => one.day !== day)
})
