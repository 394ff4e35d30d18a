/** Figures that two sources give, by the manifests that say so (`agreesWith`), and where their newest values contradict each other. */
import type { Manifest, SecondSource } from "../plugin/Manifest.ts"
import { day } from "../plugin/time.ts"

/** An agreement with the plugin that declares it. */
export interface Pair extends SecondSource {
  readonly plugin: string
}

export const pairsOf = (manifests: ReadonlyArray<Manifest>): ReadonlyArray<Pair> =>
  manifests.flatMap(({ agreesWith = [], id }) => agreesWith.map((second) => ({ ...second, plugin: id })))

/** The newest value of a series; `asOf` in epoch milliseconds. */
export interface Compared {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly plugin: string
  readonly value: number
  readonly asOf: number
  readonly simulated: boolean
}

/** Two values of one figure that differ by more than its manifest allows. */
export interface Contradiction<Row> {
  readonly row: Row
  readonly second: Row
  readonly pair: Pair
}

/** Values whose times lie further apart say nothing of each other: one of the sources has stopped. */
export const contemporary = day

/** Whether a declared name stands for a metric: by itself, or as a family with a star. */
export const isNamed = (declared: string, metric: string): boolean =>
  declared.endsWith("*") ? metric.startsWith(declared.slice(0, -1)) : declared === metric

export const differs = (a: number, b: number, tolerance: number): boolean =>
  Math.abs(a - b) > tolerance * Math.max(Math.abs(a), Math.abs(b))

/**
 * The contradictions among the rows, which may be of several symbols. What the demo made up is left out: each of its series moves
 * by itself.
 */
export const contradictions = <Row>(
  pairs: ReadonlyArray<Pair>,
  rows: ReadonlyArray<Row>,
  of: (row: Row) => Compared
): ReadonlyArray<Contradiction<Row>> => {
  const measured = rows.map((row) => ({ row, is: of(row) })).filter(({ is }) => !is.simulated)
  return pairs.flatMap((pair) =>
    measured.flatMap(({ is, row }): ReadonlyArray<Contradiction<Row>> => {
      if (is.plugin !== pair.plugin || is.source === pair.source || !isNamed(pair.metric, is.metric))
        return []
      const second = measured.find(
        ({ is: other }) =>
          other.symbol === is.symbol &&
          other.source === pair.source &&
          other.metric === (pair.as ?? is.metric)
      )
      return second !== undefined &&
        Math.abs(second.is.asOf - is.asOf) <= contemporary &&
        differs(is.value, second.is.value, pair.tolerance)
        ? [{ row, second: second.row, pair }]
        : []
    })
  )
}
