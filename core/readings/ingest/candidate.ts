/** Rows of runs on their way into the database. */
import type { Manifest } from "../../plugin/Manifest.ts"
import type { Observation } from "../../plugin/Value.ts"

/** What all rows of a run share. */
export interface Origin {
  readonly run: string
  readonly manifest: Manifest
  readonly recordedAt: Date
  /** When its upstream said so. */
  readonly confirmedAt: Date
  /** The run whose rows these are, derived again with newer code; undefined for what an upstream said just now. */
  readonly rederives: string | undefined
  readonly simulated: boolean
  /** True while its feed is not confirmed. */
  readonly unconfirmed: boolean
  /** Series of an unconfirmed feed that a second source confirmed. */
  readonly agreed: ReadonlySet<number>
  /** Zeros of the whole run that nobody counted, by `readingKey`, each with the reason. */
  readonly defined: ReadonlyMap<string, string>
}

/** Whether nothing has confirmed a series of a run: neither its feed, nor a second source of its own. */
export const isUnconfirmed = ({ agreed, unconfirmed }: Origin, series: number): boolean =>
  unconfirmed && !agreed.has(series)

/** A run's rows of one series, by time; at least one. */
export interface SeriesRows {
  readonly series: number
  /** True if the run makes the series: nothing is stored of it. */
  readonly newSeries: boolean
  readonly rows: ReadonlyArray<Observation>
}

/** Rows of one run, each series once. */
export interface RunRows {
  readonly from: Origin
  readonly rows: ReadonlyArray<SeriesRows>
}

/** A row on its way into the database. */
export interface Candidate {
  readonly series: number
  readonly newSeries: boolean
  /** Epoch milliseconds. */
  readonly asOf: number
  readonly row: Observation
  readonly from: Origin
}

/** The rows one by one; several of one series and time count once. */
export const candidatesOf = function* ({ from, rows }: RunRows): Generator<Candidate, undefined> {
  for (const { newSeries, rows: ofSeries, series } of rows) {
    let before: number | undefined
    for (const row of ofSeries) {
      const asOf = Date.parse(row.as_of)
      if (asOf !== before) yield { series, newSeries, asOf, row, from }
      before = asOf
    }
  }
  return undefined
}

/** The same of several runs, in parts of so many; the last is shorter. */
export const partsOf = function* (
  runs: ReadonlyArray<RunRows>,
  size: number
): Generator<ReadonlyArray<Candidate>, undefined> {
  let part: Array<Candidate> = []
  for (const run of runs) {
    for (const candidate of candidatesOf(run)) {
      part.push(candidate)
      if (part.length < size) continue
      yield part
      part = []
    }
  }
  if (part.length > 0) yield part
  return undefined
}
