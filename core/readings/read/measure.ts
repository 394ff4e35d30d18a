/** One comparable measure over all networks: the value of each, what it counts, its closed days and its place. */
import { Effect } from "effect"
import { bySymbol, isDepin } from "../../catalog/Catalog.ts"
import type { Measure, MeasurePart } from "../../catalog/Measures.ts"
import { metricNamed } from "../../plugin/Manifest.ts"
import { type ChangeOf, changeOver, type DatedValue } from "../change.ts"
import { Feeds } from "../Feeds.ts"
import type { Access } from "./Access.ts"
import { counts } from "./byDefinition.ts"
import type { CurrentRow } from "./Current.ts"
import { closedPoints, monthDays } from "./closedPoints.ts"
import { isLive, listing } from "./listing.ts"
import { pickSource } from "./pickSource.ts"
import { visibleTo } from "./selection.ts"
import { valueSample } from "./supply.ts"

/** Days of its lines, today among them. */
export const measureDays = monthDays

/** A network of a measure whose value counts now. */
export interface MeasureMember {
  readonly symbol: string
  readonly row: CurrentRow
  /** What is counted, in a few words; undefined where all members count the same. */
  readonly counts: string | undefined
  /** What the metric means, from its manifest. */
  readonly meaning: string | undefined
  /** Its accepted closed days, oldest first. */
  readonly points: ReadonlyArray<DatedValue>
  readonly change: ChangeOf<DatedValue> | undefined
  /** From 1; equal values share one. Undefined where the measure has no places. */
  readonly place: number | undefined
}

export interface Measured {
  readonly measure: Measure
  /** Those that come first by the measure's order, first. */
  readonly members: ReadonlyArray<MeasureMember>
  /** Symbols of which it was read once and has no value now that counts. */
  readonly missing: ReadonlyArray<string>
}

interface Answering {
  readonly part: MeasurePart
  readonly row: CurrentRow
}

/** Every network takes part in a metric that names none; subnets are networks of their own here, reference chains are none. */
const takesPart = (part: MeasurePart, symbol: string): boolean => {
  const network = bySymbol.get(symbol)
  return part.of === undefined ? network !== undefined && isDepin(network) : part.of.includes(symbol)
}

/** What answers for a measure of a symbol: the first of its parts of which there is a row. */
const answering = (
  { members, unit }: Measure,
  symbol: string,
  rows: ReadonlyArray<CurrentRow>
): ReadonlyArray<Answering> => {
  for (const part of members) {
    if (!takesPart(part, symbol)) continue
    const candidates = rows
      .filter(({ row }) => row.metric === part.metric && row.unit === unit)
      .map((row) => ({ source: row.row.source, asOf: row.asOf, row }))
    const picked = pickSource(symbol, part.metric, candidates)
    if (picked !== undefined) return [{ part, row: picked.row }]
  }
  return []
}

/** The place of a value among others, from 1; equal values share one. */
const placeIn = ({ best }: Measure, values: ReadonlyArray<number>, value: number): number =>
  values.filter((other) => (best === "most" ? other > value : other < value)).length + 1

/** The measure as it stands. What does not count takes no place in it: old, unconfirmed or by definition. */
export const measured = Effect.fn("Data.measured")(function* (measure: Measure) {
  const list = yield* listing
  const { manifests } = yield* Feeds
  const isCounted = (row: CurrentRow): boolean => isLive(list.at)(row) && counts(row)
  const all = [...list.bySymbol].flatMap(([symbol, rows]) => answering(measure, symbol, rows))
  const sign = measure.best === "most" ? -1 : 1
  const counted = all
    .filter(({ row }) => isCounted(row))
    .toSorted((a, b) => sign * (a.row.row.value - b.row.row.value))
  const bySeries = yield* closedPoints(counted.map(({ row }) => row))
  const values = counted.map(({ row }) => row.row.value)
  const result: Measured = {
    measure,
    members: counted.map(({ part, row }): MeasureMember => {
      const { symbol, value } = row.row
      const manifest = manifests.find(({ id }) => id === row.plugin)
      const points = bySeries.get(row.series) ?? []
      return {
        symbol,
        row,
        counts: part.counts,
        meaning: manifest === undefined ? undefined : metricNamed(manifest.metrics, row.row.metric)?.meaning,
        points,
        change: changeOver(measure.unit, points),
        place: measure.ranks ? placeIn(measure, values, value) : undefined
      }
    }),
    missing: all.filter(({ row }) => !isCounted(row)).map(({ row }) => row.row.symbol)
  }
  return result
})

/** The members that an access shows: all, or the day's sample of them, which has no places. */
export const visibleMembers = Effect.fn("Data.visibleMembers")(function* (
  { members }: Measured,
  { breadth }: Pick<Access, "breadth">
) {
  const list = yield* listing
  const { visible } = visibleTo(members.map(({ symbol }) => symbol).toSorted(), {
    breadth,
    named: undefined,
    sampleOf: yield* valueSample(list),
    today: list.today
  })
  const symbols = new Set(visible)
  return members
    .filter(({ symbol }) => symbols.has(symbol))
    .map((member) => (symbols.size < members.length ? { ...member, place: undefined } : member))
})

/** What is said first of members that are not all: how many of how many. */
export const sampleWords = (visible: number, { members }: Measured): string =>
  visible < members.length
    ? `${visible} of ${members.length} members, the day's sample`
    : `all ${members.length} members`

/** How a measure moved: of the members with a value on one common day, how many have more, less and as much on their last closed day. */
export interface Movement {
  /** `YYYY-MM-DD`. */
  readonly since: string
  readonly more: number
  readonly less: number
  readonly same: number
  /** Members without a value on that day. */
  readonly without: number
}

/** Undefined where no member has two closed days. */
export const movementOf = ({ members }: Measured): Movement | undefined => {
  const starts = members.flatMap(({ change }) => (change === undefined ? [] : [change.from.date]))
  const [since] =
    [...Map.groupBy(starts, (date) => date)].toSorted(
      ([a, those], [b, others]) => others.length - those.length || (a < b ? -1 : 1)
    )[0] ?? []
  if (since === undefined) return undefined
  const moves = members.flatMap(({ change, points }) => {
    const from = points.find(({ date }) => date === since)
    return change === undefined || from === undefined || change.to.date === since
      ? []
      : [Math.sign(change.to.value - from.value)]
  })
  const of = (sign: number) => moves.filter((move) => move === sign).length
  return { since, more: of(1), less: of(-1), same: of(0), without: members.length - moves.length }
}
