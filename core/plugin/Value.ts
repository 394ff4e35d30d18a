/**
 * The value row of the service and the words it is made of: units and times.
 */
import { Schema } from "effect"
import { day } from "./time.ts"
import type { Moment } from "./Unreadable.ts"
import { units } from "./units.ts"

/** A unit of `units.json`. */
export const Unit = Schema.Literals(units)
export type Unit = typeof Unit.Type

/** One observation of one metric of one network, as a collector derives it and as the API serves it. */
export const Observation = Schema.Struct({
  symbol: Schema.String,
  metric: Schema.String,
  value: Schema.Finite,
  /** The exact number as the upstream gave it, where a double may not hold it. */
  value_text: Schema.optionalKey(Schema.String),
  unit: Unit,
  source: Schema.String,
  /** Where anyone can compare the value; opens without a key. */
  verify_url: Schema.String,
  /** The address that the collector read, where that is another than `verify_url`; after a `#`, what it posted there. */
  read_url: Schema.optionalKey(Schema.String),
  /** ISO 8601 in UTC with whole seconds or milliseconds: when the value was true. */
  as_of: Schema.String
})
export interface Observation extends Schema.Schema.Type<typeof Observation> {}

/** Order of rows in every comparison, hash and list: by symbol, metric, source, then time. */
export const byName = (a: Observation, b: Observation): number =>
  compare(a.symbol, b.symbol) ||
  compare(a.metric, b.metric) ||
  compare(a.source, b.source) ||
  compare(a.as_of, b.as_of)

/** Compares by UTF-16 code units, as RFC 8785 orders keys: never by locale. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

let lastTime = { ms: 0, text: "1970-01-01T00:00:00Z" }

/** Epoch milliseconds as ISO 8601 in UTC, without a fraction when the second is whole. Throws for what is not a time. */
export const isoTime = (ms: number): string => {
  // Most rows of a run are of one time, and so are those of a network in a batch.
  if (ms !== lastTime.ms) lastTime = { ms, text: new Date(ms).toISOString().replace(".000Z", "Z") }
  return lastTime.text
}

/**
 * The last millisecond of the UTC day that holds a time: the `as_of` of a value about a whole day, once that day is over.
 * Midnight would date the value to the next day. A time that cannot be read stays so.
 */
export function endOfDay(ms: number): number
export function endOfDay(ms: Moment): Moment
export function endOfDay(ms: Moment): Moment {
  return typeof ms === "number" ? Math.floor(ms / day) * day + day - 1 : ms
}

const timeForm =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.(\d{1,9}))?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/

/**
 * Epoch milliseconds of an ISO 8601 date or date-time; a text with no zone is UTC.
 * Undefined if the text is not such a time.
 */
export const parseTime = (text: string): number | undefined => {
  const match = timeForm.exec(text.trim())
  if (match === null) return undefined
  const [, date, clock = "00:00:00", fraction = "", zone = "Z"] = match
  const offset = zone === "UTC" ? "Z" : zone.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2")
  const seconds = clock.length === 5 ? `${clock}:00` : clock
  const ms = Date.parse(`${date}T${seconds}.${fraction.padEnd(3, "0").slice(0, 3)}${offset}`)
  // Date.parse rolls 31 February over into March: a date that does not exist is refused.
  if (!Number.isFinite(ms)) return undefined
  return offset === "Z" && new Date(ms).getUTCDate() !== Number(date?.slice(-2)) ? undefined : ms
}
