/** One writer for a series: each (symbol, metric, source) belongs to one plugin, by what the manifests declare. */
import { isLabelled, type Manifest, metricNamed, symbolsOf } from "../plugin/Manifest.ts"
import type { Observation } from "../plugin/Value.ts"
import { targetsOf } from "./Catalog.ts"

export type SeriesName = Pick<Observation, "symbol" | "metric" | "source">

const labelsOf = ({ source, sources = [] }: Manifest): ReadonlyArray<string> => [source, ...sources]

/** Names of its metrics, with those of its families. */
const metricsOf = ({ metrics }: Manifest): ReadonlyArray<string> =>
  Object.entries(metrics).flatMap(([name, { of }]) =>
    of === undefined ? [name] : of.map((word) => name.slice(0, -1) + word)
  )

const coveredBy = (manifest: Manifest): ReadonlySet<string> => symbolsOf(manifest, targetsOf(manifest.covers))

/** A label that both allow; where a number may follow in both, the longer of the two. */
const labelOfBoth = (a: string, b: string): string | undefined => {
  if (isLabelled(a, b)) return b
  if (isLabelled(b, a)) return a
  const [short = "", long = ""] = [a, b].sort((one, other) => one.length - other.length)
  return long.endsWith("*") && isLabelled(short, long.slice(0, -1)) ? long : undefined
}

/** Whether a manifest declares the series. */
export const declares = (manifest: Manifest, { metric, source, symbol }: SeriesName): boolean =>
  metricNamed(manifest.metrics, metric) !== undefined &&
  labelsOf(manifest).some((label) => isLabelled(label, source)) &&
  coveredBy(manifest).has(symbol)

/** The first series that two manifests both declare. */
export const seriesOfBoth = (one: Manifest, other: Manifest): SeriesName | undefined => {
  const [source] = labelsOf(one).flatMap((a) => labelsOf(other).flatMap((b) => labelOfBoth(a, b) ?? []))
  if (source === undefined) return undefined
  const metric = metricsOf(one).find((name) => metricNamed(other.metrics, name) !== undefined)
  if (metric === undefined) return undefined
  const otherSymbols = coveredBy(other)
  const symbol = [...coveredBy(one)].find((name) => otherSymbols.has(name))
  return symbol === undefined ? undefined : { symbol, metric, source }
}

export interface Rival {
  readonly manifest: Manifest
  /** A series that both declare. */
  readonly series: SeriesName
}

/** The other manifests that declare a series of this one. */
export const rivalsOf = (manifest: Manifest, all: ReadonlyArray<Manifest>): ReadonlyArray<Rival> =>
  all.flatMap((other) => {
    const series = other.id === manifest.id ? undefined : seriesOfBoth(manifest, other)
    return series === undefined ? [] : [{ manifest: other, series }]
  })

/** What is wrong with that, in words. */
export const sharedWith = ({ manifest, series }: Rival): string =>
  `${series.symbol} ${series.metric} of the source ${series.source} is declared by plugins/${manifest.id}, too: a series has one writer`
