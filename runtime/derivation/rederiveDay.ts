/**
 * Derives every run of a day again, as a copy of the log names them: a second party checks a service without trusting its
 * database, from which only bodies and sources come. Each is held to the hash that the log has of it.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { fromUtf8 } from "../../core/proof/bytes.ts"
import { logPath } from "../../core/proof/remote.ts"
import { parseRunLeaves, type RanLeaf, type RunLeaf } from "../../core/proof/runLeaf.ts"
import { inFolder } from "../../http/client/verifier/src/folder.ts"
import { UsageError } from "../cli/usage.ts"
import { onDisk } from "../outside/disk.ts"
import { exportRun } from "./export.ts"
import { exitOf, rederive } from "./rederive.ts"

/** Runs that a report names of each kind; it counts the others. */
const named = 50

const hoursOfDay = Array.from({ length: 24 }, (_, n) => String(n).padStart(2, "0"))

export interface DayReport {
  readonly day: string
  /** Hours that have runs. */
  readonly hours: number
  /** Runs that took place; those beyond the limit were not looked at. */
  readonly runs: number
  readonly looked: number
  /** Runs that were due and did not take place, as the log says. */
  readonly skipped: number
  /** Runs that gave exactly what the log has of them. */
  readonly same: number
  /** Runs of which something is no longer stored. */
  readonly unavailable: number
  readonly differing: number
  /** The first of these, with what differs. */
  readonly named: ReadonlyArray<{ readonly run: string; readonly plugin: string; readonly why: string }>
}

/** The leaves of a day in a copy of the log, by hour. */
const leavesOf = Effect.fnUntraced(function* (mirror: string, day: string) {
  const source = inFolder(mirror)
  const hours: Array<ReadonlyArray<RunLeaf>> = []
  for (const hour of hoursOfDay) {
    const path = `${logPath}/runs/${day}T${hour}/leaves`
    const bytes = yield* onDisk(() => source.read(path))
    if (bytes === undefined) continue
    hours.push(
      yield* Effect.try({
        try: () => parseRunLeaves(fromUtf8(bytes)),
        catch: (error) =>
          new UsageError({ message: `${path}: ${error instanceof Error ? error.message : String(error)}` })
      })
    )
  }
  return hours
})

const temporary = Effect.acquireRelease(
  onDisk(() => mkdtemp(join(tmpdir(), "plumbline-run-"))),
  (folder) => Effect.ignore(onDisk(() => rm(folder, { recursive: true, force: true })))
)

/** Derives one run again: `same`, `unavailable`, or what differs. */
const again = Effect.fnUntraced(function* (leaf: RanLeaf) {
  const folder = yield* temporary
  yield* exportRun(leaf.run, folder)
  const checks = yield* rederive(folder, leaf.run, leaf)
  const exit = exitOf(checks)
  return exit === 0
    ? ("same" as const)
    : exit === 2
      ? ("unavailable" as const)
      : {
          run: leaf.run,
          plugin: leaf.plugin,
          why: checks
            .flatMap(({ detail, name, ok }) => (ok === false ? [`${name}: ${detail}`] : []))
            .slice(0, 3)
            .join("; ")
        }
}, Effect.scoped)

/** Derives the runs of a day again, one after the other, at most `limit`. `progress` hears of every ten. */
export const rederiveDay = Effect.fn("Derivation.rederiveDay")(function* (options: {
  readonly day: string
  /** The folder of a copy that `log mirror` made. */
  readonly mirror: string
  readonly limit: number
  readonly progress: (looked: number, of: number) => Effect.Effect<void>
}) {
  const { day, limit, mirror, progress } = options
  const hours = yield* leavesOf(mirror, day)
  if (hours.length === 0) {
    return yield* new UsageError({
      message: `${mirror} has no runs of ${day}: copy the log first (log mirror), or name another day`
    })
  }
  const leaves = hours.flat()
  const ran = leaves.flatMap((leaf) => (leaf.outcome === "skipped" ? [] : [leaf]))
  const counts = { same: 0, unavailable: 0, differing: 0 }
  const differing: Array<DayReport["named"][number]> = []
  const some = ran.slice(0, limit)
  for (const [n, leaf] of some.entries()) {
    const result = yield* Effect.catchTag(again(leaf), "NotDerived", () =>
      Effect.succeed("unavailable" as const)
    )
    if (typeof result === "string") counts[result]++
    else {
      counts.differing++
      if (differing.length < named) differing.push(result)
    }
    if ((n + 1) % 10 === 0) yield* progress(n + 1, some.length)
  }
  return {
    day,
    hours: hours.length,
    runs: ran.length,
    looked: some.length,
    skipped: leaves.length - ran.length,
    ...counts,
    named: differing
  } satisfies DayReport
})
