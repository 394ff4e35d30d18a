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
import { type BatchEntry, isBatch } from "../../core/proof/entry.ts"
import { leavesPath, logPath } from "../../core/proof/fetched.ts"
import { parseRunLeaves, type RanLeaf, type RunLeaf } from "../../core/proof/runLeaf.ts"
import { checkRunsOf, parseRuns, type Runs, runsKind } from "../../core/proof/runs.ts"
import { inFolder } from "../../http/client/verifier/src/folder.ts"
import { logOf } from "../../http/client/verifier/src/logOf.ts"
import type { Source } from "../../http/client/verifier/src/monitor/source.ts"
import { UsageError } from "../cli/usage.ts"
import { onDisk } from "../outside/disk.ts"
import { batchLeaves, RowsOfDay } from "./batchOfDay.ts"
import { exportRun } from "./export.ts"
import { ownCodeName } from "./ownCode.ts"
import { deriveAgain, exitOf } from "./rederive.ts"

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
  /** Runs that gave the same with code that is not that of this checkout. */
  readonly otherCode: number
  /** Whether the batch of the day was held to what the runs gave: it is in the copy, it is not closed, or the copy lacks its leaves. */
  readonly batch: "compared" | "open" | "lacking"
  /** Readings that the batch does not have, how many and the first of them, each with what it has instead. */
  readonly unsealed: number
  readonly missing: ReadonlyArray<string>
  /** The first of those that differ, with what differs. */
  readonly named: ReadonlyArray<{ readonly run: string; readonly plugin: string; readonly why: string }>
}

/** A document of runs, and when it was entered. */
interface HourTold {
  readonly document: Runs
  readonly enteredAt: string
}

/** What a copy of the log has of a day. Fails with `UsageError` where the copy is not whole. */
const dayOf = Effect.fnUntraced(function* (source: Source, day: string) {
  const checks: Array<Check> = []
  const now = yield* Clock.currentTimeMillis
  const entries = yield* onDisk(() => logOf(source, { now }, checks))
  if (entries === undefined) {
    const [why] = checks.filter(({ ok }) => ok === false)
    return yield* new UsageError({ message: `${source.name}: ${why?.detail ?? "the log cannot be read"}` })
  }
  const hours: Array<HourTold> = []
  let batch: BatchEntry | undefined
  for (const entry of entries) {
    if (isBatch(entry)) {
      if (entry.days[0] === day) batch = entry
      continue
    }
    if (entry.kind !== runsKind || !entry.subject.startsWith(`${day}T`)) continue
    const path = `${logPath}/documents/${entry.sha256}`
    const bytes = yield* onDisk(() => source.read(path))
    const text = bytes === undefined ? "" : fromUtf8(bytes)
    if (hash("sha256", text) !== entry.sha256)
      return yield* new UsageError({ message: `${source.name}${path} is not what the log has` })
    hours.push({ document: yield* reading(path, () => parseRuns(text)), enteredAt: entry.recorded_at })
  }
  return { hours, batch }
})

/** What the batch of a day does not have of these rows. */
const againstBatch = Effect.fnUntraced(function* (
  source: Source,
  batch: BatchEntry | undefined,
  rows: RowsOfDay
) {
  if (batch === undefined) return { batch: "open" as const, unsealed: 0, missing: [] }
  const path = leavesPath(batch.days[0])
  const bytes = yield* onDisk(() => source.read(path))
  if (bytes === undefined) return { batch: "lacking" as const, unsealed: 0, missing: [] }
  const missing = rows.missingIn(yield* reading(path, () => batchLeaves(batch, bytes)))
  return { batch: "compared" as const, unsealed: missing.length, missing: missing.slice(0, named) }
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

/** Derives one run again: `same`, `unavailable`, or what differs; with its rows. */
const again = Effect.fnUntraced(function* (leaf: RanLeaf) {
  const folder = yield* temporary
  yield* exportRun(leaf.run, folder, derivationOf)
  const { checks, rows } = yield* deriveAgain(folder, leaf.run, leaf)
  const exit = exitOf(checks)
  const otherCode = checks.some(({ name, ok }) => name === ownCodeName && ok !== true)
  if (exit === 0) return { result: "same" as const, rows, otherCode }
  if (exit === 2) return unavailable
  const why = checks
    .flatMap(({ detail, name, ok }) => (ok === false ? [`${name}: ${detail}`] : []))
    .slice(0, 3)
    .join("; ")
  return { result: { run: leaf.run, plugin: leaf.plugin, why }, rows: [], otherCode: false }
}, Effect.scoped)

const unavailable = { result: "unavailable" as const, rows: [], otherCode: false }

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
  const { batch, hours } = yield* dayOf(source, day)
  if (hours.length === 0) {
    return yield* new UsageError({
      message: `${mirror} has no runs of ${day}: copy the log first (log mirror), or name another day`
    })
  }
  const leaves: Array<RunLeaf & { readonly enteredAt: string }> = []
  const lacking: Array<string> = []
  for (const { document, enteredAt } of hours) {
    const ofHour = yield* leavesOf(source, document)
    if (ofHour === undefined) lacking.push(document.hour)
    else leaves.push(...ofHour.map((leaf) => ({ ...leaf, enteredAt })))
  }
  const ran = leaves.flatMap((leaf) => (leaf.outcome === "skipped" ? [] : [leaf]))
  const counts = { same: 0, unavailable: 0, differing: 0, otherCode: 0 }
  const differing: Array<DayReport["named"][number]> = []
  const rowsOfDay = new RowsOfDay(day)
  const some = ran.slice(0, limit)
  for (const [n, { enteredAt, ...leaf }] of some.entries()) {
    const { otherCode, result, rows } = yield* Effect.catchTag(again(leaf), "NotDerived", () =>
      Effect.succeed(unavailable)
    )
    if (otherCode) counts.otherCode++
    if (typeof result === "string") counts[result]++
    else {
      counts.differing++
      if (differing.length < named) differing.push(result)
    }
    // A run whose hour was entered after the batch may have been stored after it.
    if (batch !== undefined && Date.parse(enteredAt) <= Date.parse(batch.closed_at)) rowsOfDay.add(leaf, rows)
    if ((n + 1) % 10 === 0) yield* progress(n + 1, some.length)
  }
  return {
    day,
    hours: hours.length,
    lacking,
    runs: ran.length,
    looked: some.length,
    skipped: leaves.length - ran.length,
    ...counts,
    ...(yield* againstBatch(source, batch, rowsOfDay)),
    named: differing
  } satisfies DayReport
})
