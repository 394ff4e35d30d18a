/** What stands for a value that is not there, cannot be read, or is a time. */
import { Function, Schema } from "effect"
import { type Moment, type Numeric, Unreadable, unexpected } from "../Unreadable.ts"
import { parseTime } from "../Value.ts"

// A thousand plugins ask for the same few: made anew each time, they were a quarter of the collector's memory.
const maybeOf = Function.memoize((schema: Schema.Constraint) => Schema.optional(Schema.NullOr(schema)))

/** A field that the upstream may omit or set to null. Memoized, so that one schema has one parser. */
export const maybe = <S extends Schema.Constraint>(schema: S) =>
  maybeOf(schema) as Schema.optional<Schema.NullOr<S>>

/** A value that cannot be read: its row is refused, and the refusal says this reason. */
export const unreadable = (reason: string): Unreadable => new Unreadable(reason)

/** A figure that is 0 only where the upstream is broken: a 0 cannot be read, and the other fields of the answer can. */
export const zeroIsBroken = <T extends Numeric | bigint | string | null | undefined>(
  value: T
): T | Unreadable =>
  value !== null && value !== undefined && typeof value !== "object" && Number(value) === 0
    ? unreadable(`got ${value}, which the upstream says when it is broken`)
    : value

/** A text that `time` can parse. Any other text is a changed answer, because a date must not be a guess. */
export const TimeText = Schema.String.check(
  Schema.makeFilter((text) => parseTime(text) !== undefined || "Expected an ISO 8601 time")
)

/** Epoch milliseconds of an upstream's time text; without a zone it is UTC. A text that is not a time cannot be read. */
export function time(value: string): Moment
export function time(value: string | null | undefined): Moment | undefined
export function time(value: string | null | undefined): Moment | undefined {
  return value === null || value === undefined ? undefined : (parseTime(value) ?? unexpected(value, "a time"))
}
