/**
 * Derives every run of a day again, as a copy of the log names them: a second party checks a service without trusting its
 * database, from which only bodies and sources come. Each is held to the hash that the log has of it.
 */
import { hash } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import { derivationOf } from "../../core/log/record/derivation.ts"
import { sha256 } from "../../core/process/sha256.ts"
import { fromUtf8 } from "../../core/proof/bytes.ts"
import type { Check } from "../../core/proof/check.ts"
import { isBatch } from "../../core/proof/entry.ts"
import { logPath } from "../../core/proof/fetched.ts"
import { parseRunLeaves, type RanLeaf, type RunLeaf } from "../../core/proof/runLeaf.ts"
import { checkRunsOf, parseRuns, type Runs, runsKind } from "../../core/proof/runs.ts"
import { inFolder } from "../../http/client/verifier/src/folder.ts"
import { logOf } from "../../http/client/verifier/src/logOf.ts"
import type { Source } from "../../http/client/verifier/src/monitor/source.ts"
import { UsageError } from "../cli/usage.ts"
import { onDisk } from "../outside/disk.ts"
import { exportRun } from "./export.ts"
import { exitOf, rederive } from "./rederive.ts"

/** Runs that a report names of each kind; it counts the others. */
const named = 50

export interface DayReport {
  readonly day: string
  /** Hours that have runs, as the log says. */
  readonly hours: number
  /** Those of them whose leaves the copy lacks, `YYYY-MM-DDTHH`: their runs were not looked at. */
  readonly lacking: ReadonlyArray<string>
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

/** The documents of runs of a day that a copy of the log has. Fails with `UsageError` where the copy is not whole. */
const hoursOf = Effect.fnUntraced(function* (source: Source, day: string) {
  const checks: Array<Check> = []
  const now = yield* Clock.currentTimeMillis
  const entries = yield* onDisk(() => logOf(source, { now }, checks))
  if (entries === undefined) {
    const [why] = checks.filter(({ ok }) => ok === false)
    return yield* new UsageError({ message: `${source.name}: ${why?.detail ?? "the log cannot be read"}` })
  }
  const documents: Array<Runs> = []
  for (const entry of entries) {
    if (isBatch(entry) || entry.kind !== runsKind || !entry.subject.startsWith(`${day}T`)) continue
    const path = `${logPath}/documents/${entry.sha256}`
    const bytes = yield* onDisk(() => source.read(path))
    const text = bytes === undefined ? "" : fromUtf8(bytes)
    if (hash("sha256", text) !== entry.sha256)
      return yield* new UsageError({ message: `${source.name}${path} is not what the log has` })
    documents.push(yield* reading(path, () => parseRuns(text)))
  }
  return documents
})

/** The leaves of an hour, all of them; undefined where the copy lacks them. */
const leavesOf = Effect.fnUntraced(function* (source: Source, document: Runs) {
  const path = `${logPath}/runs/${document.hour}/leaves`
  const bytes = yield* onDisk(() => source.read(path))
  if (bytes === undefined) return undefined
  return yield* reading(path, () => {
    const leaves = parseRunLeaves(fromUtf8(bytes))
    checkRunsOf(document, leaves, sha256)
    return leaves
  })
})

const reading = <A>(path: string, work: () => A) =>
  Effect.try({
    try: work,
    catch: (error) =>
      new UsageError({ message: `${path}: ${error instanceof Error ? error.message : String(error)}` })
  })

const temporary = Effect.acquireRelease(
  onDisk(() => mkdtemp(join(tmpdir(), "plumbline-run-"))),
  (folder) => Effect.ignore(onDisk(() => rm(folder, { recursive: true, force: true })))
)

/** Derives one run again: `same`, `unavailable`, or what differs. */
const again = Effect.fnUntraced(function* (leaf: RanLeaf) {
  const folder = yield* temporary
  yield* exportRun(leaf.run, folder, derivationOf)
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
  const source = inFolder(mirror)
  const documents = yield* hoursOf(source, day)
  if (documents.length === 0) {
    return yield* new UsageError({
      message: `${mirror} has no runs of ${day}: copy the log first (log mirror), or name another day`
    })
  }
  const leaves: Array<RunLeaf> = []
  const lacking: Array<string> = []
  for (const document of documents) {
    const ofHour = yield* leavesOf(source, document)
    if (ofHour === undefined) lacking.push(document.hour)
    else leaves.push(...ofHour)
  }
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
    hours: documents.length,
    lacking,
    runs: ran.length,
    looked: some.length,
    skipped: leaves.length - ran.length,
    ...counts,
    named: differing
  } satisfies DayReport
})
