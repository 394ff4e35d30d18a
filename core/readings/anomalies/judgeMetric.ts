/** Judges the series of one metric, each beside the others. */
import { compare } from "../../plugin/Value.ts"
import { type ByDate, Peers } from "./comparison.ts"
import type { Finding } from "./finding.ts"
import { judge } from "./judge.ts"
import type { JudgedSeries } from "./series.ts"

interface Entry {
  readonly series: JudgedSeries
  readonly byDate: ByDate
}

const placeOf = ({ category, unit }: JudgedSeries): string => `${category} ${unit}`

const byDateOf = ({ days }: JudgedSeries): ByDate => new Map(days.map(({ date, value }) => [date, value]))

/** One series of each symbol: the source that is first by name, so that every recomputation takes the same. */
const oneOfEach = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  [...Map.groupBy(entries, ({ series }) => series.symbol).values()].flatMap((of) =>
    of.toSorted((a, b) => compare(a.series.source, b.series.source)).slice(0, 1)
  )

const noPeers = new Peers([])

/**
 * The judge of one metric: gives the finding on the last of the days that a series is given with. `all` are the series of the metric
 * with all of their days; days after the judged one are not looked at.
 */
export const judgeMetric = (
  all: ReadonlyArray<JudgedSeries>
): ((series: JudgedSeries) => Finding | undefined) => {
  const entries = all.map((series): Entry => ({ series, byDate: byDateOf(series) }))
  const bySymbol = Map.groupBy(entries, ({ series }) => series.symbol)
  const byPlace = new Map(
    [...Map.groupBy(entries, ({ series }) => placeOf(series))].map(([place, of]) => [
      place,
      new Peers(oneOfEach(of).map(({ byDate }) => byDate))
    ])
  )
  return (judged) => {
    const { category, source, symbol, unit } = judged
    const sources = (bySymbol.get(symbol) ?? []).filter(
      ({ series }) => series.source !== source && series.unit === unit
    )
    return judge(judged, {
      sources: sources.map(({ byDate }) => byDate),
      peers: (category === undefined ? undefined : byPlace.get(placeOf(judged))) ?? noPeers
    })
  }
}
