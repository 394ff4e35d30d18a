/** Pay if fresh: a buyer who states the oldest `as_of` he accepts is not charged for older data. */
import { Effect } from "effect"
import { isoTime } from "../plugin/Value.ts"
import type { ProductKey } from "../products/index.ts"
import { DataTooOld } from "../wire/problems/purchases.ts"
import { BadParameter } from "../wire/problems/request.ts"
import { ReadyPayload } from "./payload.ts"

/** The oldest and the newest `as_of` anywhere in a payload, epoch milliseconds; undefined if it has none. */
const agesOf = (payload: unknown) => {
  if (payload instanceof ReadyPayload) return payload.ages
  let oldest = Number.POSITIVE_INFINITY
  let newest = Number.NEGATIVE_INFINITY
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    for (const [name, member] of Object.entries(value)) {
      const at = name === "as_of" && typeof member === "string" ? Date.parse(member) : Number.NaN
      if (Number.isNaN(at)) look(member)
      else {
        oldest = Math.min(oldest, at)
        newest = Math.max(newest, at)
      }
    }
  }
  look(payload)
  return newest < oldest ? undefined : { oldest, newest }
}

/** What `min_as_of` of a request says, epoch milliseconds. */
export const readMinAsOf = (value: unknown): Effect.Effect<number, BadParameter> => {
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/
  const at = typeof value === "string" && form.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at)
    ? Effect.fail(
        new BadParameter({
          field: "min_as_of",
          message: "min_as_of must be an ISO 8601 time in UTC. Nothing was charged.",
          valid: "a time such as 2026-11-22T12:00:00Z"
        })
      )
    : Effect.succeed(at)
}

/** Fails if a value of the payload is older than `minAsOf` (epoch milliseconds), or if no value has a time. */
export const requireFresh = Effect.fnUntraced(function* (key: ProductKey, payload: unknown, minAsOf: number) {
  const ages = agesOf(payload)
  if (ages !== undefined && ages.oldest >= minAsOf) return
  const requirement = { product_key: key, min_as_of: isoTime(minAsOf) }
  if (ages === undefined) {
    return yield* new DataTooOld({
      ...requirement,
      message: `${key}: its values have no as_of, so none can be required. Nothing was charged.`
    })
  }
  const [oldest, newest] = [isoTime(ages.oldest), isoTime(ages.newest)]
  return yield* new DataTooOld({
    ...requirement,
    message: `${key}: the oldest value is as of ${oldest}, before ${requirement.min_as_of}. Nothing was charged.`,
    oldest_as_of: oldest,
    newest_as_of: newest
  })
})
