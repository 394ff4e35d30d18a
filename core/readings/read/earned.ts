/**
 * What networks earn from their users and pay out to their suppliers. Of several sources of a figure the one on the highest rung of
 * evidence is served, and the others are next to it. A counter since the start also gives what it grew by on closed days.
 */
import { Effect } from "effect"
import { bySymbol as catalogued, isDepin } from "../../catalog/Catalog.ts"
import { notObserved } from "../../catalog/NotObserved.ts"
import * as DataClock from "../../clock/DataClock.ts"
import {
  byRung,
  type Family,
  type Flow,
  type FlowParts,
  flowParts,
  type Rung,
  rungs,
  type Span
} from "../../plugin/flows.ts"
import { day } from "../../plugin/time.ts"
import { compare, endOfDay, isoTime } from "../../plugin/Value.ts"
import type { CoverageRow, EarnedResponse, EarnedRow, OtherFlow } from "../../wire/data/earned.ts"
import { EarnedRow as EarnedRowSchema } from "../../wire/data/earned.ts"
import type { ValueRow } from "../../wire/data/valueRow.ts"
import { type DatedValue, differenceOf } from "../change.ts"
import { columnsOf } from "../csv.ts"
import { type Access, accessNote } from "./Access.ts"
import { counts, dayCounts, isMeasured } from "./byDefinition.ts"
import type { CurrentRow } from "./Current.ts"
import { dateOf, lastDays } from "./days.ts"
import { staticAge } from "./freshness.ts"
import { listing } from "./listing.ts"
import { pickSource } from "./pickSource.ts"
import { RecentDays } from "./RecentDays.ts"
import { type RightsBySource, rightsBySource } from "./rights.ts"
import { type FlowEvidence, flowEvidence } from "./rungs.ts"
import {
  chosenNames,
  chosenSymbols,
  type ListShape,
  pageOfRows,
  type Selection,
  visibleTo
} from "./selection.ts"
import { valueSample } from "./supply.ts"
import { valueRow } from "./valueRow.ts"

/** Days of the lines of growth, today among them. */
export const earnedDays = 30

/** The figure of an aggregator of a day: next to what a network earned on one, or alone where nothing better is read. */
const aggregated = "fees_24h_usd"

/** Its figures next to what a network earned in so many days; the shortest time that the network has counts. */
const aggregatedOf = [
  ["24h", aggregated],
  ["7d", "fees_7d_usd"],
  ["30d", "fees_30d_usd"]
] as const

interface Days {
  readonly from: string
  readonly to: string
}

/** One source of a figure. */
interface Read {
  readonly parts: FlowParts
  readonly row: ValueRow
  readonly current: CurrentRow
  readonly rung: Rung
  /** Absent of an aggregator's. */
  readonly flow?: Flow
  readonly days: Days | undefined
  readonly derivedFrom?: string
}

/** A figure: the source that is served, and the others. */
export interface EarnedFigure extends Read {
  readonly others: ReadonlyArray<Read>
  readonly usd: Price | undefined
  /** What it grew by on each closed day, of a counter since the start; else its value on each. */
  readonly points: ReadonlyArray<DatedValue>
}

interface Price {
  readonly value: number
  readonly price: number
  readonly from: { readonly source: string; readonly verify_url: string; readonly as_of: string }
}

const lengths: Readonly<Record<Span, number>> = {
  total: 0,
  block: 0,
  round: 0,
  "24h": 1,
  "7d": 7,
  "30d": 30,
  month: 31
}

/** The closed UTC days that a figure is of: known where it was true at the end of a day. */
const daysOf = (span: Span, asOf: number): Days | undefined => {
  if (lengths[span] === 0 || endOfDay(asOf) !== asOf) return undefined
  const to = dateOf(asOf)
  return { from: span === "month" ? `${to.slice(0, 8)}01` : dateOf(asOf - (lengths[span] - 1) * day), to }
}

/** Whether a figure is still of now: weekly and monthly ones are older by their nature. */
const isFresh = (at: number, { asOf }: CurrentRow, span: Span): boolean =>
  at - asOf < staticAge + lengths[span] * day

const dayBefore = (date: string, days = 1): string => dateOf(Date.parse(date) - days * day)

/** What a counter grew by on each day that follows another; it never falls, so that a fall says nothing. */
const growthOf = (points: ReadonlyArray<DatedValue>): ReadonlyArray<DatedValue> => {
  const byDate = new Map(points.map((point) => [point.date, point]))
  return points.flatMap((point) => {
    const before = byDate.get(dayBefore(point.date))
    const grew = before === undefined ? null : differenceOf(before, point)
    return grew === null || grew < 0 ? [] : [{ date: point.date, value: grew }]
  })
}

/** What a counter grew by on its last closed day, and on the last seven. */
const derivedFrom = (read: Read, points: ReadonlyArray<DatedValue>): ReadonlyArray<Read> => {
  const last = points.at(-1)
  if (read.parts.span !== "total" || last === undefined) return []
  return (["24h", "7d"] as const).flatMap((span) => {
    const first = points.find(({ date }) => date === dayBefore(last.date, lengths[span]))
    const grew = first === undefined ? null : differenceOf(first, last)
    if (grew === null || grew < 0) return []
    const { value_text: _, ...row } = read.row
    const metric = `${read.parts.family}_${span}${read.parts.unit === "usd" ? "_usd" : ""}`
    return [
      {
        ...read,
        parts: { ...read.parts, span },
        row: { ...row, metric, value: grew, as_of: isoTime(endOfDay(Date.parse(last.date))) },
        days: { from: dayBefore(last.date, lengths[span] - 1), to: last.date },
        derivedFrom: read.row.metric
      }
    ]
  })
}

/** The source of a figure that is served: on the highest rung; of several there, one that was read as it is, and then as everywhere. */
const bestOf = (
  reads: ReadonlyArray<Read>
): { readonly best: Read; readonly others: ReadonlyArray<Read> } | undefined => {
  const [top] = reads.toSorted((a, b) => byRung(a.rung, b.rung))
  if (top === undefined) return undefined
  const onTop = reads.filter(({ rung }) => rung === top.rung)
  const asRead = onTop.filter(({ derivedFrom }) => derivedFrom === undefined)
  const candidates = (asRead.length > 0 ? asRead : onTop).map((read) => ({
    source: read.row.source,
    asOf: Date.parse(read.row.as_of),
    read
  }))
  const best = pickSource(top.row.symbol, top.row.metric, candidates)?.read ?? top
  return { best, others: reads.filter((read) => read !== best) }
}

const flowsOf = (
  at: number,
  rows: ReadonlyArray<CurrentRow>,
  standingOf: ReadonlyMap<number, FlowEvidence>
) =>
  rows.flatMap((current): ReadonlyArray<Read> => {
    const parts = flowParts(current.row.metric)
    const standing = standingOf.get(current.series)
    return parts === undefined ||
      standing === undefined ||
      !isMeasured(current) ||
      !isFresh(at, current, parts.span)
      ? []
      : [{ parts, row: valueRow(current), current, ...standing, days: daysOf(parts.span, current.asOf) }]
  })

/** The figures of all networks that have any, by symbol and metric. */
export const earnedFigures = Effect.fn("Data.earnedFigures")(function* () {
  const list = yield* listing
  const rows = [...list.bySymbol.values()].flat()
  const standingOf = yield* flowEvidence(rows)
  const recent = yield* (yield* RecentDays).memory
  const window = lastDays(yield* DataClock.now, earnedDays)
  const closed = recent.closed ?? ""
  const flows = rows.filter(({ series }) => standingOf.has(series))
  const prices = new Map(
    [...list.bySymbol].flatMap(([symbol, all]) => {
      const candidates = all.flatMap((row) =>
        row.row.metric === "price_usd" ? [{ source: row.row.source, asOf: row.asOf, row }] : []
      )
      const picked = flows.some(({ row }) => row.symbol === symbol)
        ? pickSource(symbol, "price_usd", candidates)
        : undefined
      return picked === undefined ? [] : [[symbol, picked.row] as const]
    })
  )
  const daily = recent.between(
    [...flows, ...prices.values()].map(({ series }) => series),
    window
  )
  const pointsBySeries = Map.groupBy(
    (daily ?? []).filter((one) => dayCounts(one) && one.date <= closed),
    ({ series }) => series
  )
  const pointsOf = ({ series }: CurrentRow): ReadonlyArray<DatedValue> =>
    (pointsBySeries.get(series) ?? [])
      .map(({ date, value, value_text }) => ({ date, value, ...(value_text === null ? {} : { value_text }) }))
      .toSorted((a, b) => compare(a.date, b.date))
  const priced = ({ days, parts, row }: Read): Price | undefined => {
    const price = prices.get(row.symbol)
    if (price === undefined || parts.unit === "usd" || parts.span === "total") return undefined
    const { as_of, source, value, verify_url } = price.row
    const at = (price: number, as_of: string): Price => ({
      value: row.value * price,
      price,
      from: { source, verify_url, as_of }
    })
    if (days === undefined) return at(value, as_of)
    const then = (pointsBySeries.get(price.series) ?? []).find(({ date }) => date === days.to)
    return then === undefined ? undefined : at(then.value, isoTime(then.as_of.getTime()))
  }
  return [...list.bySymbol]
    .toSorted(([a], [b]) => compare(a, b))
    .flatMap(([symbol, all]) => {
      const read = flowsOf(list.at, all, standingOf)
      const reads = [...read, ...read.flatMap((one) => derivedFrom(one, pointsOf(one.current)))]
      const figures = [...Map.groupBy(reads, ({ row }) => row.metric)]
        .toSorted(([a], [b]) => compare(a, b))
        .flatMap(([, of]): ReadonlyArray<EarnedFigure> => {
          const picked = bestOf(of)
          if (picked === undefined) return []
          const { best, others } = picked
          const points = pointsOf(best.current)
          return [
            {
              ...best,
              others,
              usd: priced(best),
              points:
                best.derivedFrom !== undefined || best.parts.span === "total" ? growthOf(points) : points
            }
          ]
        })
      return withAggregated(symbol, figures, all, pointsOf, list.at)
    })
})

/**
 * Puts an aggregator's figure beside that of the network for the same time, or that of a day alone where the network has none of one. A 0
 * that nobody counted is none.
 */
const withAggregated = (
  symbol: string,
  figures: ReadonlyArray<EarnedFigure>,
  rows: ReadonlyArray<CurrentRow>,
  pointsOf: (row: CurrentRow) => ReadonlyArray<DatedValue>,
  at: number
): ReadonlyArray<EarnedFigure> => {
  const network = catalogued.get(symbol)
  if (network === undefined || !isDepin(network)) return figures
  const readOf = ([span, metric]: (typeof aggregatedOf)[number]): Read | undefined => {
    const current = rows.find((one) => one.row.metric === metric && isMeasured(one))
    if (current === undefined || !isFresh(at, current, span)) return undefined
    const parts: FlowParts = { family: "earned", span, unit: "usd" }
    return { parts, row: valueRow(current), current, rung: "aggregated", days: daysOf(span, current.asOf) }
  }
  const beside = (span: Span) => figures.find(({ parts }) => parts.family === "earned" && parts.span === span)
  const same = aggregatedOf.find(([span]) => beside(span) !== undefined)
  const [own, other] = same === undefined ? [] : [beside(same[0]), readOf(same)]
  const together = figures.map((figure) =>
    figure === own && other !== undefined ? { ...figure, others: [...figure.others, other] } : figure
  )
  const alone = same?.[0] === "24h" ? undefined : readOf(aggregatedOf[0])
  return alone === undefined
    ? together
    : [...together, { ...alone, others: [], usd: undefined, points: pointsOf(alone.current) }]
}

const inDollars = ({ parts, row, usd }: EarnedFigure): number | undefined =>
  parts.unit === "usd" ? row.value : usd?.value

const sameDays = (a: Days | undefined, b: Days | undefined): boolean => a?.from === b?.from && a?.to === b?.to

/** How far another source lies from a figure; null where the two are not of one unit or not of the same days. */
const differenceFrom = (figure: EarnedFigure, other: Read): number | null => {
  const own = figure.parts.unit === other.parts.unit ? figure.row.value : inDollars(figure)
  const isSame =
    figure.parts.span === other.parts.span &&
    (other.rung === "aggregated" || sameDays(figure.days, other.days))
  if (own === undefined || own === 0 || !isSame) return null
  return Math.round(((other.row.value - own) / own) * 1e4) / 100
}

/** The page with the method of a figure. */
export const methodPath = (symbol: string, metric: string): string =>
  metric === aggregated
    ? `/network/${encodeURIComponent(symbol)}/${metric}`
    : `/method/${encodeURIComponent(symbol)}`

const pricedBy = ({ from }: Price, rightsOf: RightsBySource) => {
  const of = { ...from, ...rightsOf(from.source) }
  return { price_usd: of, usd: of }
}

/** A figure as it is served. */
export const earnedRow = (figure: EarnedFigure, rightsOf: RightsBySource): EarnedRow => {
  const { current, days, derivedFrom, parts, rung, usd } = figure
  const { held: _, level_in_doubt: __, ...row } = figure.row
  return {
    ...row,
    ...rightsOf(row.source),
    family: parts.family,
    rung,
    ...days,
    ...(derivedFrom === undefined ? {} : { derived_from: derivedFrom }),
    ...(parts.unit === "usd" || parts.span === "total"
      ? {}
      : usd === undefined
        ? { usd: null }
        : { usd: usd.value, price_usd: usd.price, field_sources: pricedBy(usd, rightsOf) }),
    method: methodPath(current.row.symbol, row.metric)
  }
}

/** From an aggregator a figure may lie this far without a reason, in percent. */
const unasked = 20

/** What is said of a larger difference for which nobody has written a reason down. */
export const notExplained = "Difference not explained."

const whyOf = ({ flow }: EarnedFigure, { rung }: Read, difference: number | null): string | undefined => {
  if (rung !== "aggregated") return undefined
  return flow?.differs ?? (difference !== null && Math.abs(difference) > unasked ? notExplained : undefined)
}

/** The other sources of a figure, as they are served. */
export const othersOf = (figure: EarnedFigure): ReadonlyArray<OtherFlow> =>
  figure.others.map((other) => {
    const difference_percent = differenceFrom(figure, other)
    const why = whyOf(figure, other, difference_percent)
    return {
      symbol: figure.row.symbol,
      of: figure.row.metric,
      metric: other.row.metric,
      source: other.row.source,
      rung: other.rung,
      value: other.row.value,
      unit: other.row.unit,
      as_of: other.row.as_of,
      difference_percent,
      ...(why === undefined ? {} : { why })
    }
  })

/** Of the spans in which both sides may be, the one whose days say most. */
const spansOfCoverage: ReadonlyArray<Span> = ["30d", "month", "7d", "24h"]

/** What a network earned as a share of what it paid out, where both are of the same closed days and in one unit. */
const coverageOf = (symbol: string, figures: ReadonlyArray<EarnedFigure>): ReadonlyArray<CoverageRow> => {
  const confirmed = figures.filter(({ current }) => counts(current))
  const of = (family: Family, span: Span, unit: "tokens" | "usd") =>
    confirmed.find(
      ({ parts, rung }) =>
        parts.family === family && parts.span === span && parts.unit === unit && rung !== "aggregated"
    )
  for (const span of spansOfCoverage)
    for (const unit of ["tokens", "usd"] as const) {
      const earned = of("earned", span, unit)
      const paid = of("paid_out", span, unit)
      if (
        earned?.days === undefined ||
        paid === undefined ||
        !sameDays(earned.days, paid.days) ||
        paid.row.value === 0
      )
        continue
      const [, lower] = [earned.rung, paid.rung].toSorted(byRung)
      return [
        {
          symbol,
          earned_coverage_percent: Math.round((earned.row.value / paid.row.value) * 1e4) / 100,
          ...earned.days,
          rung: lower ?? paid.rung
        }
      ]
    }
  return []
}

export const coverages = (figures: ReadonlyArray<EarnedFigure>): ReadonlyArray<CoverageRow> =>
  [...Map.groupBy(figures, ({ row }) => row.symbol)].flatMap(([symbol, of]) => coverageOf(symbol, of))

/** Networks that nobody can measure: what is written down of them, without what is read by now. */
export const unobserved = (figures: ReadonlyArray<EarnedFigure>) =>
  notObserved.flatMap((one) => {
    const families = one.families.filter(
      (family) =>
        !figures.some(
          ({ parts, row, rung }) =>
            row.symbol === one.symbol && parts.family === family && rung !== "aggregated"
        )
    )
    return families.length === 0 ? [] : [{ ...one, families }]
  })

const shape: ListShape<EarnedRow> = {
  columns: columnsOf(EarnedRowSchema),
  order: "key",
  key: ({ metric, source, symbol }) => `${symbol}!${metric}!${source}`,
  limit: { max: 1000, fallback: 1000 },
  past: () => false
}

export interface EarnedSelection extends Pick<Selection, "symbols" | "sort" | "limit" | "cursor"> {
  readonly access: Access
  /** Rungs with commas between them. */
  readonly rung?: string | undefined
}

/** Fails with `BadParameter` and `UnknownSymbol`. */
export const earned = Effect.fn("Data.earned")(function* ({
  access,
  rung,
  symbols,
  ...selection
}: EarnedSelection) {
  const list = yield* listing
  const named = yield* chosenSymbols(symbols)
  const chosen = yield* chosenNames("rung", rung, rungs)
  const all = yield* earnedFigures()
  const figures = all.filter((one) => named?.has(one.row.symbol) !== false && chosen?.has(one.rung) !== false)
  const matching = [...new Set(figures.map(({ row }) => row.symbol))]
  const { visible } = visibleTo(matching, {
    breadth: access.breadth,
    named,
    sampleOf: yield* valueSample(list),
    today: list.today
  })
  const open = new Set(visible)
  const isVisible = ({ symbol }: { readonly symbol: string }) => open.has(symbol)
  const rightsOf = yield* rightsBySource
  const chosenRows = figures.filter(({ row }) => isVisible(row))
  const rows = chosenRows.map((figure) => earnedRow(figure, rightsOf))
  const { items, next } = yield* pageOfRows(rows, selection, shape)
  const response: EarnedResponse = {
    generated_utc: isoTime(list.at),
    earned: items,
    coverage: coverages(all).filter(isVisible),
    others: chosenRows.flatMap(othersOf),
    not_observed: unobserved(all).filter(({ symbol }) => named?.has(symbol) !== false),
    n_networks: matching.length,
    access: accessNote(access),
    ...(next === undefined ? {} : { next_cursor: next })
  }
  return response
})
