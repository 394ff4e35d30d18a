/** Which runs share a transaction. */
import type { Manifest } from "../../../plugin/Manifest.ts"
import type { Delivery, RunResult } from "../Run.ts"
import { groupsOf, seriesKey } from "./series.ts"

/** A delivered run with only the rows that its manifest allows. */
export interface CheckedRun {
  readonly delivery: Delivery
  readonly manifest: Manifest
  readonly run: RunResult
}

/** Runs that are stored together; one that has more rows than a transaction takes is alone. */
export type Batch = readonly [CheckedRun, ...ReadonlyArray<CheckedRun>]

/**
 * Runs in their order, in batches of at most `chunk` rows. No two of a batch have a series in common, because a row is judged
 * by what earlier runs have stored of its series.
 */
export const batchRuns = (runs: ReadonlyArray<CheckedRun>, chunk: number): ReadonlyArray<Batch> => {
  const batches: Array<[CheckedRun, ...Array<CheckedRun>]> = []
  let rows = 0
  let series = new Set<string>()
  for (const each of runs) {
    const { observations } = each.run
    const own = new Set(groupsOf(observations).map(([first]) => seriesKey(first)))
    const batch = batches.at(-1)
    if (batch !== undefined && rows + observations.length <= chunk && series.isDisjointFrom(own)) {
      batch.push(each)
      rows += observations.length
      series = series.union(own)
    } else {
      batches.push([each])
      rows = observations.length
      series = own
    }
  }
  return batches
}
