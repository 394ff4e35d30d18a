/** The change of a series, in kind and size: one rule for every answer, product and page. */
import { BigDecimal, Option } from "effect"
import { day, hour } from "../plugin/time.ts"
import { has, noRatioOf } from "../plugin/units.ts"

/** A value of a day. */
export interface DatedValue {
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly value: number
  /** The exact number, where a double may not hold it. */
  readonly value_text?: string | undefined
}

/** From one day to another. `why` says why `relative` is null, or that it is to be read with care. */
export interface ChangeOf<End extends DatedValue> {
  readonly from: End
  readonly to: End
  /** `to` minus `from` in the unit of the values, of percentages in points; null for flags and dates, which have no distance. */
  readonly absolute: number | null
  /** `100 × (to - from) / |from|`, in percent; null where it says nothing. */
  readonly relative: number | null
  readonly why?: string
}

/** Above this many percent a change is never given without a word on its base. */
const large = 500

/** Below this, a count moves by whole percents with each thing more or less. */
const smallestCount = 100
/** The same bound for what is not counted one by one, in its own unit. */
const smallestAmount = 20

/** The bounds of `isBroadBase` in words. */
export const broadBaseWords = `${smallestCount} or more of what is counted one by one, ${smallestAmount} or more in any other unit, or any price`

/** A price is of one thing, however many there are. */
const isPrice = (metric: string): boolean => /(^|_)price_/.test(metric)

/**
 * Whether a value is a base from which changes in percent may be ranked: at least 100 where things are counted one by one, at
 * least 20 of any other unit, and any price.
 */
export const isBroadBase = (
  series: { readonly metric: string; readonly unit: string },
  value: number
): boolean =>
  isPrice(series.metric) || Math.abs(value) >= (has(series.unit, "single") ? smallestCount : smallestAmount)

/** `to - from` without the rounding of doubles; null beyond what one holds. */
export const differenceOf = (from: DatedValue, to: DatedValue): number | null => {
  const [a, b] = [from, to].map(({ value, value_text }) => BigDecimal.fromString(value_text ?? String(value)))
  if (a === undefined || b === undefined || Option.isNone(a) || Option.isNone(b)) return null
  const difference = Number(BigDecimal.format(BigDecimal.subtract(b.value, a.value)))
  return Number.isFinite(difference) ? difference : null
}

const changesSign = (points: ReadonlyArray<DatedValue>): boolean =>
  points.some(({ value }) => value < 0) && points.some(({ value }) => value > 0)

const relativeOf = (
  unit: string,
  points: ReadonlyArray<DatedValue>,
  from: DatedValue,
  to: DatedValue
): Pick<ChangeOf<DatedValue>, "relative" | "why"> => {
  const none = (reason: string) => ({ relative: null, why: `There is no change in percent: ${reason}.` })
  const noRatio = noRatioOf(unit)
  if (noRatio !== undefined) return none(noRatio)
  if (changesSign(points)) return none("the series changes its sign")
  if (from.value === 0) return none(`the value of ${from.date} is 0`)
  const relative = (100 * (to.value - from.value)) / Math.abs(from.value) + 0
  if (!Number.isFinite(relative)) return none("it is too large to represent")
  return Math.abs(relative) <= large
    ? { relative }
    : {
        relative,
        why: `The change is above ${large} % because the value of ${from.date}, ${from.value_text ?? from.value}, is small beside that of ${to.date}, ${to.value_text ?? to.value}.`
      }
}

/**
 * The change from the first to the last of some days, oldest first; undefined of fewer than two. Give it closed days alone: the
 * value of an open one still moves. All of the days count for the question whether the series changes its sign.
 */
export const changeOver = <End extends DatedValue>(
  unit: string,
  points: ReadonlyArray<End>
): ChangeOf<End> | undefined => {
  const [from, to] = [points[0], points.at(-1)]
  if (from === undefined || to === undefined || points.length < 2) return undefined
  return {
    from,
    to,
    absolute: has(unit, "no_distance") ? null : differenceOf(from, to),
    ...relativeOf(unit, points, from, to)
  }
}

/** How far from the hour of another reading one may be to be of the same hour, in milliseconds. */
const sameHour = hour

/** The readings at the time of the day of `to`, within an hour: what has a daily rhythm is compared with these alone. */
export const ofSameHour = <End extends { readonly as_of: Date }>(
  points: ReadonlyArray<End>,
  to: Date
): ReadonlyArray<End> =>
  points.filter(({ as_of }) => {
    const apart = Math.abs(as_of.getTime() - to.getTime()) % day
    return Math.min(apart, day - apart) <= sameHour
  })
