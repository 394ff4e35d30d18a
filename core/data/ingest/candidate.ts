/** Rows of runs on their way into the database. */
import type { Manifest } from "../../plugin/Plugin.ts"
import type { Observation } from "../../plugin/Value.ts"

/** A row of a run with its series. */
export interface Candidate {
  readonly series: number
  /** Epoch milliseconds. */
  readonly asOf: number
  readonly row: Observation
  /** True if its run makes the series: nothing is stored of it. */
  readonly newSeries: boolean
}

/** What all rows of a run share. */
export interface Origin {
  readonly run: string
  readonly manifest: Manifest
  readonly recordedAt: Date
  readonly simulated: boolean
}

/** Rows of one run. */
export interface RunRows {
  readonly from: Origin
  readonly rows: ReadonlyArray<Candidate>
}

/** A row on its way into the database. */
export interface Reported extends Candidate {
  readonly from: Origin
}
