/** Where capacity and demand moved apart within a week of closed days: one rule, for `/v1/divergence` and for the brief. */
import { day } from "../plugin/time.ts"
import { compare } from "../plugin/Value.ts"
import { changeOver, type DatedValue, isBroadBase } from "../readings/change.ts"
import { twoDecimals } from "../readings/percent.ts"
import { type Compared, compared, genericCapacity, genericDemand } from "./compared.ts"

/** A closed day of a series. */
export interface DayValue extends DatedValue {
  readonly unit: string
}

/** The closed days of the series that answers for a metric. */
export interface SeriesDays<Day extends DayValue> {
  /** Oldest first, without days whose readings are excluded. */
  readonly days: ReadonlyArray<Day>
  /** The incident that excludes readings of the last seven days. */
  readonly incident?: number | undefined
}

/** A week of a series: the newest day, the one exactly seven days before, and the change between them. */
export interface Week<Day extends DayValue> {
  readonly from: Day
  readonly to: Day
  /** The relative change of `changeOver`, in percent. */
  readonly change_pct: number
}

export interface Pairing<Day extends DayValue> {
  readonly symbol: string
  readonly what: string
  readonly capacity: Week<Day>
  readonly demand: Week<Day>
  /** Change of capacity minus change of demand, in percentage points. */
  readonly divergence_points: number
  /** Demand as a share of capacity, where it is a part of it. */
  readonly utilisation_pct?: number
}

export interface Gap {
  readonly symbol: string
  readonly reason: string
}

/** A weekly change beyond these percentages counts as an upstream error until someone checks it. */
export const plausible = { fall: -90, rise: 900 }

/** Why a weekly change is withheld; undefined if it is plausible. Both bounds are plausible themselves. */
export const implausible = (metric: string, change_pct: number): string | undefined =>
  change_pct < plausible.fall || change_pct > plausible.rise
    ? `${metric}: a change of ${twoDecimals(change_pct)} % in a week is implausible until checked with the upstream`
    : undefined

/** A reading of this week is excluded, so the week is in doubt. */
export const excludedThisWeek = (metric: string, incident: number): string =>
  `${metric}: incident ${incident} excludes readings of this week`

/**
 * Compares capacity and demand of each network on the newest closed day that both series have, and on the day exactly a week
 * before. `daysOf` gives the series of a metric; undefined if it is not measured.
 */
export const divergenceOf = <Day extends DayValue>(
  symbols: ReadonlyArray<string>,
  daysOf: (symbol: string, metric: string) => SeriesDays<Day> | undefined
) => {
  const outcomes = symbols.flatMap((symbol): ReadonlyArray<Outcome<Day>> => {
    const pairs = pairsOf(symbol, (metric) => daysOf(symbol, metric) !== undefined)
    return pairs.length === 0
      ? [{ unmeasured: symbol }]
      : pairs.map((pair) => compareSides(symbol, pair, (metric) => daysOf(symbol, metric)))
  })
  return {
    rows: outcomes
      .flatMap((outcome) => ("row" in outcome ? [outcome.row] : []))
      .toSorted(
        (a, b) =>
          Math.abs(b.divergence_points) - Math.abs(a.divergence_points) ||
          compare(a.symbol, b.symbol) ||
          compare(a.what, b.what)
      ),
    withheld: outcomes.flatMap((outcome) => ("withheld" in outcome ? [outcome.withheld] : [])),
    missing: outcomes.flatMap((outcome) => ("missing" in outcome ? [outcome.missing] : [])),
    n_unmeasured: outcomes.filter((outcome) => "unmeasured" in outcome).length
  }
}

/** The pairs of a network: those that its upstream publishes, otherwise its first node count and its fees. */
const pairsOf = (
  symbol: string,
  isMeasured: (metric: string) => boolean
): ReadonlyArray<Omit<Compared, "demand"> & { readonly demand: string | undefined }> => {
  const declared = compared.get(symbol)
  if (declared !== undefined) return declared.some(({ capacity }) => isMeasured(capacity)) ? declared : []
  const capacity = genericCapacity.find(isMeasured)
  const demand = genericDemand.find(isMeasured)
  return capacity === undefined ? [] : [{ what: "capacity and fees", capacity, demand, part: false }]
}

type Outcome<Day extends DayValue> =
  | { readonly unmeasured: string }
  | { readonly row: Pairing<Day> }
  | { readonly withheld: Gap }
  | { readonly missing: Gap }

const compareSides = <Day extends DayValue>(
  symbol: string,
  pair: ReturnType<typeof pairsOf>[number],
  daysOf: (metric: string) => SeriesDays<Day> | undefined
): Outcome<Day> => {
  const { part, what } = pair
  const gap = (reason: string): Gap => ({ symbol, reason: `${what}: ${reason}` })
  const [supply, use] = [daysOf(pair.capacity), pair.demand === undefined ? undefined : daysOf(pair.demand)]
  if (supply === undefined) return { missing: gap(`${pair.capacity} is not measured`) }
  if (pair.demand === undefined || use === undefined) return { missing: gap("no demand is measured") }
  const used = new Set(use.days.map(({ date }) => date))
  const newest = supply.days.findLast(({ date }) => used.has(date))?.date
  const [capacity, demand] =
    newest === undefined
      ? []
      : [weekOf(pair.capacity, supply.days, newest), weekOf(pair.demand, use.days, newest)]
  if (capacity === undefined || demand === undefined) {
    return {
      missing: gap(`${pair.capacity} and ${pair.demand} have no two closed days in common a week apart`)
    }
  }
  if ("why" in capacity) return { missing: gap(`${pair.capacity}: ${capacity.why}`) }
  if ("why" in demand) return { missing: gap(`${pair.demand}: ${demand.why}`) }
  const share = part ? (100 * demand.to.value) / capacity.to.value : undefined
  const doubt =
    doubtOf(pair.capacity, supply, capacity) ??
    doubtOf(pair.demand, use, demand) ??
    (share !== undefined && share > 100
      ? `${pair.demand} exceeds ${pair.capacity}, of which it is a part`
      : undefined)
  if (doubt !== undefined) return { withheld: gap(doubt) }
  return {
    row: {
      symbol,
      what,
      capacity,
      demand,
      divergence_points: capacity.change_pct - demand.change_pct,
      ...(share === undefined || !Number.isFinite(share) ? {} : { utilisation_pct: share })
    }
  }
}

/** The week up to a day, or why it has no change in percent; undefined if either end is missing. */
const weekOf = <Day extends DayValue>(
  metric: string,
  days: ReadonlyArray<Day>,
  newest: string
): Week<Day> | { readonly why: string } | undefined => {
  const earlier = Date.parse(newest) - 7 * day
  const to = days.find(({ date }) => date === newest)
  const from = days.find(({ date }) => Date.parse(date) === earlier)
  const change = to === undefined || from === undefined ? undefined : changeOver(to.unit, [from, to])
  if (change === undefined) return undefined
  const { relative, why = "" } = change
  if (!isBroadBase({ metric, unit: change.to.unit }, change.from.value))
    return { why: "its value a week before is too small a base for a change in percent" }
  return relative === null ? { why } : { from: change.from, to: change.to, change_pct: relative }
}

const doubtOf = <Day extends DayValue>(
  metric: string,
  { incident }: SeriesDays<Day>,
  { change_pct }: Week<Day>
): string | undefined =>
  incident === undefined ? implausible(metric, change_pct) : excludedThisWeek(metric, incident)
