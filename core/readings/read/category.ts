/** One category in figures: sums of like with like, and the places of its networks by one metric. */
import { Effect } from "effect"
import { networks } from "../../catalog/Catalog.ts"
import { kindOf } from "../../catalog/kindOf.ts"
import { type Measure, measureOfLike } from "../../catalog/Measures.ts"
import type { Category, Role, Tier } from "../../plugin/kinds.ts"
import { metricNamed, roleOf } from "../../plugin/Manifest.ts"
import type { Unit } from "../../plugin/Value.ts"
import { Feeds } from "../Feeds.ts"
import { counts } from "./byDefinition.ts"
import type { CurrentRow } from "./Current.ts"
import { isLive, type Listing, listing } from "./listing.ts"
import { pickSource } from "./pickSource.ts"

/** One metric of several networks, in one unit. */
export interface CategoryFigure {
  readonly metric: string
  readonly unit: Unit
  readonly tier: Tier
  readonly role: Role
  /** What the metric means; absent where the plugin is gone. */
  readonly meaning: string | undefined
  /** The values that count, the largest first: live, counted by somebody, and of a confirmed feed. */
  readonly counted: ReadonlyArray<CurrentRow>
  /** The other networks of which it was ever read. */
  readonly missing: ReadonlyArray<string>
  /** The sum of what counts; null where a network is missing, since it would then say less than its name. */
  readonly total: number | null
}

/** The symbols that a category consists of: its networks, without the subnets of one of them. */
export const membersOf = (category: Category): ReadonlyArray<string> =>
  networks.filter((one) => one.category === category && kindOf(one) !== "subnet").map(({ symbol }) => symbol)

/** What answers for each metric of a network. */
const answering = (symbol: string, list: Listing): ReadonlyArray<CurrentRow> =>
  [...Map.groupBy(list.bySymbol.get(symbol) ?? [], ({ row }) => row.metric)].flatMap(([metric, rows]) => {
    const candidates = rows.map((row) => ({ source: row.row.source, asOf: row.asOf, row }))
    return pickSource(symbol, metric, candidates)?.row ?? []
  })

/** The figures of a category by metric and unit, those of most networks first; a metric of one network is none. */
export const categoryFigures = Effect.fn("Data.categoryFigures")(function* (category: Category) {
  const list = yield* listing
  const { manifests } = yield* Feeds
  const live = isLive(list.at)
  const rows = membersOf(category).flatMap((symbol) => answering(symbol, list))
  return [...Map.groupBy(rows, ({ row }) => `${row.metric} ${row.unit}`).values()]
    .flatMap((of): ReadonlyArray<CategoryFigure> => {
      const [first] = of
      if (first === undefined || of.length < 2) return []
      const isCounted = (row: CurrentRow): boolean => live(row) && counts(row)
      const counted = of.filter(isCounted).toSorted((a, b) => b.row.value - a.row.value)
      const missing = of.filter((row) => !isCounted(row)).map(({ row }) => row.symbol)
      const manifest = manifests.find(({ id }) => id === first.plugin)
      const declared = manifest === undefined ? undefined : metricNamed(manifest.metrics, first.row.metric)
      const sum = counted.reduce((total, { row }) => total + row.value, 0)
      return [
        {
          metric: first.row.metric,
          unit: first.row.unit,
          tier: first.tier,
          role: declared === undefined ? "measure" : roleOf(declared),
          meaning: declared?.meaning,
          counted,
          missing,
          total: missing.length > 0 || counted.length === 0 ? null : sum
        }
      ]
    })
    .toSorted((a, b) => b.counted.length - a.counted.length || (a.metric < b.metric ? -1 : 1))
})

/** A figure that is of a measure, its values in the measure's order. */
export interface RankedFigure extends CategoryFigure {
  readonly measure: Measure
}

/** What comes first among the rankings of a category: money. */
const first: ReadonlyArray<string> = ["market_cap_usd", "fees_30d_usd", "volume_24h_usd"]

const leading = ({ metric, tier }: CategoryFigure): number =>
  first.includes(metric) ? first.indexOf(metric) : first.length + (tier === "supply_telemetry" ? 0 : 1)

/**
 * The rankings of a category: those of its figures whose networks are all of one part of a measure, so that they are like things. Tabs
 * and sentences of rank are made of them alone. What the measure does not add has no total.
 */
export const rankedFigures = (all: ReadonlyArray<CategoryFigure>): ReadonlyArray<RankedFigure> =>
  all
    .flatMap((figure): ReadonlyArray<RankedFigure> => {
      const symbols = [...figure.counted.map(({ row }) => row.symbol), ...figure.missing]
      const measure = measureOfLike(figure.metric, symbols)
      if (measure === undefined || measure.unit !== figure.unit) return []
      return [
        {
          ...figure,
          measure,
          counted: measure.best === "most" ? figure.counted : figure.counted.toReversed(),
          total: measure.adds ? figure.total : null
        }
      ]
    })
    .toSorted((a, b) => leading(a) - leading(b))

/** The place of a value in a ranking, from 1; equal values share one. */
export const placeOf = ({ counted }: RankedFigure, value: number): number =>
  counted.findIndex(({ row }) => row.value === value) + 1

/** The place of a network by a metric among those of its category whose values count; undefined where no ranking has it, or without peers. */
export const placeAmongPeers = (
  figures: ReadonlyArray<RankedFigure>,
  { metric, symbol, unit }: { readonly metric: string; readonly symbol: string; readonly unit: Unit }
): { readonly place: number; readonly of: number } | undefined => {
  const figure = figures.find((one) => one.metric === metric && one.unit === unit)
  const own = figure?.counted.find(({ row }) => row.symbol === symbol)
  if (figure === undefined || own === undefined || figure.counted.length < 2) return undefined
  return { place: placeOf(figure, own.row.value), of: figure.counted.length }
}
