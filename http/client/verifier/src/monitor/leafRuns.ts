/** Which leaves of a batch runs of the log gave, by the rules that a single value is held to. */
import type { RowLeaf } from "../../../../../core/proof/leaf.ts"
import { BatchRows, demandOrigin, type Origin } from "../../../../../core/proof/origin.ts"
import type { Reason } from "../../../../../core/proof/reason.ts"
import { parseRunLeaf, type RanLeaf } from "../../../../../core/proof/runLeaf.ts"
import { hourOf } from "../../../../../core/proof/runs.ts"
import { hour as hourMs } from "../../../../../core/proof/time.ts"
import {
  doubtOfRow,
  isBeforeRuns,
  isChangedLater,
  mayBeOf,
  needsRun
} from "../../../../../core/proof/verifyRun.ts"
import { type Hour, type Hours, ranIn } from "./hours.ts"
import { byIncident, type IncidentRecord } from "./incidents.ts"

/** A leaf that no run gave, and why. */
interface Lacking {
  readonly leaf: RowLeaf
  readonly why: string
  readonly reason: Reason
}

/** True if a run of the collector stored something when the row was changed: another reading of the day may be of it. */
const byRun = async (leaf: RowLeaf, plugin: string, hours: Hours): Promise<boolean> => {
  const at = Date.parse(leaf.recorded_at)
  for (const hour of [at - hourMs, at, at + hourMs].map(hourOf)) {
    const read = await hours.read(hour)
    const isThere = read?.lines.some((line) => {
      const run = parseRunLeaf(line)
      return (
        run.outcome === "stored" &&
        run.plugin === plugin &&
        mayBeOf(leaf, { run, entry: { recorded_at: read.at } })
      )
    })
    if (isThere === true) return true
  }
  return false
}

/** The leaves of a batch, of which runs are told one after the other. */
export class LeafRuns {
  readonly #leaves: ReadonlyArray<RowLeaf>
  readonly #rows: BatchRows
  /** The places that have the row of a first one. */
  readonly #same: ReadonlyMap<number | undefined, ReadonlyArray<number>>
  readonly #proved = new Set<number>()
  readonly #doubts = new Map<number, string>()
  /** The collectors of leaves whose rows were changed after the hours of their runs were entered. */
  readonly #changed = new Map<number, string>()

  constructor(leaves: ReadonlyArray<RowLeaf>) {
    this.#leaves = leaves
    this.#rows = new BatchRows(leaves)
    this.#same = Map.groupBy(leaves.keys(), (place) => this.#rows.firstOf(place))
  }

  /** Adds a run with its rows. Throws `Malformed` if it is not the one of its hour, or these are not its rows. */
  add(origin: Origin, hour: Hour, simulated: true | undefined): void {
    const run = ranIn(hour, origin.index)
    demandOrigin(origin, run, this.#rows)
    for (const row of origin.rows) {
      if (typeof row !== "number") continue
      for (const place of this.#same.get(row) ?? []) this.#judge(place, run, hour, simulated)
    }
  }

  #judge(place: number, run: RanLeaf, { at, hour }: Hour, simulated: true | undefined): void {
    const leaf = this.#leaves[place]
    if (leaf === undefined || this.#proved.has(place)) return
    const hourRun = {
      run,
      hour: { hour, ...(simulated === undefined ? {} : { simulated }) },
      entry: { recorded_at: at }
    }
    const doubt =
      leaf.simulated === run.simulated
        ? doubtOfRow(leaf, hourRun)
        : "they disagree on whether they are simulated"
    if (doubt !== undefined) this.#doubts.set(place, `run ${run.run} does not prove this value: ${doubt}`)
    else if (isChangedLater(leaf, hourRun)) this.#changed.set(place, run.plugin)
    else this.#proved.add(place)
  }

  /** The leaves without a run, and how many need none: they are older than what the log has of runs. */
  async lacking(
    hours: Hours,
    incidents: ReadonlyArray<IncidentRecord>,
    firstHour: string | undefined
  ): Promise<{ readonly lacking: ReadonlyArray<Lacking>; readonly older: number }> {
    const lacking: Array<Lacking> = []
    let older = 0
    for (const [place, leaf] of this.#leaves.entries()) {
      if (!needsRun(leaf) || this.#proved.has(place)) continue
      const plugin = this.#changed.get(place)
      if (plugin !== undefined && (byIncident(leaf, incidents) || (await byRun(leaf, plugin, hours))))
        continue
      if (plugin === undefined && !this.#doubts.has(place) && isBeforeRuns(leaf, firstHour)) older++
      else
        lacking.push({
          leaf,
          why:
            plugin === undefined
              ? (this.#doubts.get(place) ?? "no run of the log is known that gave it")
              : `the row was changed at ${leaf.recorded_at}, and nothing in the log says by what`,
          reason: plugin === undefined && !this.#doubts.has(place) ? "missing" : "contradiction"
        })
    }
    return { lacking, older }
  }
}
