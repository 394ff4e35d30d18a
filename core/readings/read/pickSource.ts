/**
 * Picks a source where several feeds report one metric of a network but the answer has room for one (keyed supply, market,
 * revenue, history): the catalog's `primary` if it has a row, else one that was reviewed, with the newest `as_of`, else the first by name. Lists of
 * value rows show all sources.
 */
import { bySymbol } from "../../catalog/Catalog.ts"
import { isReviewed } from "../../plugin/reviewed.ts"
import { compare } from "../../plugin/Value.ts"

export interface Candidate {
  readonly source: string
  /** Epoch milliseconds. */
  readonly asOf: number
}

/** The one that answers, of candidates for the same symbol and metric; undefined only where there is none. */
export const pickSource = <C extends Candidate>(
  symbol: string,
  metric: string,
  candidates: ReadonlyArray<C>
): C | undefined => {
  const primary = bySymbol.get(symbol)?.primary?.[metric]
  return (
    candidates.find(({ source }) => source === primary) ??
    candidates.toSorted(
      (a, b) =>
        Number(isReviewed(b.source)) - Number(isReviewed(a.source)) ||
        b.asOf - a.asOf ||
        compare(a.source, b.source)
    )[0]
  )
}
