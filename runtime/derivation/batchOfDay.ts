/**
 * Whether the batch of a day has what its runs read. That a value is of a run is proved by the log; that no run read a later one, or one
 * of a series that is listed as absent, only who derives the runs again can see: of such rows the log has hashes.
 */
import { isoTime, type Observation } from "../../core/plugin/Value.ts"
import { checkLeavesOf } from "../../core/proof/batch.ts"
import type { BatchEntry } from "../../core/proof/entry.ts"
import type { Leaf, RowLeaf } from "../../core/proof/leaf.ts"
import type { RanLeaf } from "../../core/proof/runLeaf.ts"
import { parseLeaves } from "../../http/client/verifier/src/monitor/past.ts"
import { nameOf, seriesKey } from "../../http/client/verifier/src/monitor/series.ts"

/** The latest reading of a series that a run of the day gave. */
interface Latest {
  readonly name: string
  readonly run: string
  /** When it was true, in epoch milliseconds. */
  readonly at: number
}

/** Reads the leaves of a batch, which are those of its entry. Throws `Malformed`. */
export const batchLeaves = (entry: BatchEntry, bytes: Uint8Array): ReadonlyArray<Leaf> => {
  const leaves = parseLeaves(bytes)
  checkLeavesOf(entry, leaves)
  return leaves
}

/** What the batch has instead of a reading; undefined where it has it, or a later one. */
const instead = (at: number, leaves: ReadonlyArray<RowLeaf>): string | undefined => {
  const latest = Math.max(...leaves.map(({ as_of }) => Date.parse(as_of)))
  return leaves.length === 0
    ? "has none of the day"
    : latest < at
      ? `has that of ${isoTime(latest)} as the last`
      : undefined
}

/** The rows of runs that were derived again, of one day. */
export class RowsOfDay {
  readonly #day: string
  readonly #latest = new Map<string, Latest>()

  constructor(day: string) {
    this.#day = day
  }

  /** Adds what a run gave, if it was stored, or was there already. */
  add({ outcome, run }: RanLeaf, rows: ReadonlyArray<Observation>): void {
    if (outcome !== "stored" && outcome !== "unchanged") return
    for (const row of rows) {
      const [key, at] = [seriesKey(row), Date.parse(row.as_of)]
      if (row.as_of.startsWith(`${this.#day}T`) && at > (this.#latest.get(key)?.at ?? 0))
        this.#latest.set(key, { name: nameOf(row), run, at })
    }
  }

  /** The readings that the day's batch does not have, each with what it has. Those that an incident excludes are leaves too. */
  missingIn(leaves: ReadonlyArray<Leaf>): ReadonlyArray<string> {
    const rows = leaves.filter((leaf): leaf is RowLeaf => leaf.kind !== "absent" && leaf.day === this.#day)
    const bySeries = Map.groupBy(rows, seriesKey)
    return [...this.#latest].flatMap(([key, { at, name, run }]) => {
      const other = instead(at, bySeries.get(key) ?? [])
      return other === undefined ? [] : [`run ${run} read ${name} of ${isoTime(at)}, and the batch ${other}`]
    })
  }
}
