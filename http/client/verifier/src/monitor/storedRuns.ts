/** When runs stored something, so that a value of another time has nothing that explains it: also where a day has no origin. */
import type { Finding } from "../../../../../core/proof/finding.ts"
import type { RowLeaf } from "../../../../../core/proof/leaf.ts"
import { hourBegins, type RunLeaf } from "../../../../../core/proof/runLeaf.ts"
import { hourOf } from "../../../../../core/proof/runs.ts"
import * as s from "../../../../../core/proof/shape.ts"
import { hour as hourMs } from "../../../../../core/proof/time.ts"
import { needsRun } from "../../../../../core/proof/verifyRun.ts"
import { byIncident, type IncidentRecord } from "./incidents.ts"
import { leafName } from "./series.ts"

/** A time, in epoch milliseconds, that a stored run explains: from its beginning to the entry of its hour. */
export interface Stored {
  readonly from: number
  readonly to: number
}

/** A value that nothing explains so far: its run may be told of yet. */
export interface Unexplained {
  /** Which leaf, of which batch. */
  readonly where: string
  readonly recorded_at: string
}

export const storedShape: s.Shape<Stored> = { from: s.number, to: s.number }
export const unexplainedShape: s.Shape<Unexplained> = { where: s.name, recorded_at: s.time }

/** Times that are remembered: of an hourly service they run into one. */
const mostStored = 5000
/** Values that are remembered; of more, the first say enough. */
const mostUnexplained = 100

/** Clocks of a run and of what stores its readings. */
const apart = 2000

const merged = (all: ReadonlyArray<Stored>): ReadonlyArray<Stored> => {
  const result: Array<Stored> = []
  for (const one of all.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1)
    if (last !== undefined && one.from <= last.to)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, one.to) }
    else result.push(one)
  }
  return result
}

/** The times after the runs of one more hour, which was entered at `entered`. */
export const withStored = (
  stored: ReadonlyArray<Stored>,
  leaves: ReadonlyArray<RunLeaf>,
  entered: string
): ReadonlyArray<Stored> => {
  const times = leaves.flatMap((leaf) =>
    leaf.outcome === "stored" ? [{ from: Date.parse(leaf.began) - apart, to: Date.parse(entered) }] : []
  )
  return withTimes(stored, times)
}

/** The times and these. */
export const withTimes = (
  stored: ReadonlyArray<Stored>,
  times: ReadonlyArray<Stored>
): ReadonlyArray<Stored> => merged([...stored, ...times]).slice(-mostStored)

const isExplained = (stored: ReadonlyArray<Stored>, recordedAt: string): boolean => {
  const at = Date.parse(recordedAt)
  return stored.some(({ from, to }) => from <= at && at <= to)
}

/** The values of a batch that nothing explains so far. Those from before the log's first hour of runs have none. */
export const unexplainedIn = (
  rows: ReadonlyArray<RowLeaf>,
  where: string,
  {
    first,
    incidents,
    stored
  }: {
    readonly first: string
    readonly incidents: ReadonlyArray<IncidentRecord>
    readonly stored: ReadonlyArray<Stored>
  }
): ReadonlyArray<Unexplained> => {
  const begins = hourBegins(first)
  return rows.flatMap((leaf) =>
    !needsRun(leaf) ||
    Date.parse(leaf.recorded_at) < begins ||
    isExplained(stored, leaf.recorded_at) ||
    byIncident(leaf, incidents)
      ? []
      : [{ where: `${where}, ${leafName(leaf)}`, recorded_at: leaf.recorded_at }]
  )
}

/** True if the log has told of all runs that could have stored a value then: its documents follow each other in time. */
const isTold = ({ recorded_at }: Unexplained, newest: string): boolean =>
  newest > hourOf(Date.parse(recorded_at) + hourMs)

/** What the runs say that explains values, and what they leave open. */
interface Explained {
  /** The hour of the newest document. */
  readonly hour?: string
  readonly stored?: ReadonlyArray<Stored>
  readonly unexplained?: ReadonlyArray<Unexplained>
}

/** The findings about values that nothing explains, though the log has told of every run up to them; the others stay open. */
export const afterExplaining = <A extends Explained>(
  runs: A,
  more: ReadonlyArray<Unexplained> = []
): { readonly findings: ReadonlyArray<Finding>; readonly runs: A } => {
  const { hour, stored = [], unexplained = [] } = runs
  const left = [...unexplained, ...more].filter(({ recorded_at }) => !isExplained(stored, recorded_at))
  const isFinal = (one: Unexplained) => hour !== undefined && isTold(one, hour)
  const without = left.filter(isFinal)
  const open = left.filter((one) => !isFinal(one)).slice(0, mostUnexplained)
  const [first] = without
  const others = without.length > 1 ? `; and ${without.length - 1} more like this` : ""
  return {
    runs: { ...runs, ...(open.length === 0 && unexplained.length === 0 ? {} : { unexplained: open }) },
    findings:
      first === undefined
        ? []
        : [
            {
              what: "run",
              where: first.where,
              expected: "a run that stored something when the value was recorded, or an incident",
              found: `it was recorded at ${first.recorded_at}, and no run of the log stored anything then${others}`,
              reason: "missing"
            }
          ]
  }
}
