/**
 * Moves the runs of hours that are long over from the tables to files, hour by hour. A file is written and synced, read back, and compared
 * with the rows and with what the log says of them; then one transaction enters it and removes the rows. A process that is killed in
 * between has removed nothing, and the next one makes the same file again. A run that would not be the same again stays, with the reason.
 */
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { zstdCompress } from "node:zlib"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs, hour as hourMs } from "../../plugin/time.ts"
import { equalBytes, utf8 } from "../../proof/bytes.ts"
import { hashLength, leafHash } from "../../proof/merkle.ts"
import { runLeafText } from "../../proof/runLeaf.ts"
import { hourOf } from "../../proof/runs.ts"
import { ints, texts } from "../../readings/ingest/arrays.ts"
import { Blobs } from "../../readings/ingest/Blobs.ts"
import { bodiesRemovedUntil } from "../../readings/ingest/bodies.ts"
import { retainedFrom } from "../../readings/ingest/partitions.ts"
import {
  ofLines,
  removeWhole,
  unequalLines,
  type WholeRun,
  wholeRunsOf
} from "../../readings/ingest/runs/wholeRuns.ts"
import { withWriterLock } from "../../readings/ingest/writerLock.ts"
import type { Due } from "../../readings/removing.ts"
import { raiseFacts, storedFact, storeFact } from "../../sql/keyValue.ts"
import { factOfLeast } from "../../sql/least.ts"
import { rowsOf } from "../../sql/rows.ts"
import { LogKey } from "../Log.ts"
import { sha256 } from "../leaves.ts"
import { leavesFrom } from "../runLeaves.ts"
import { RunsUnavailable, readRunFile } from "./movedRuns.ts"
import { runFileText } from "./runFile.ts"

const compress = promisify(zstdCompress)

/** Hours of one statement. */
const hoursAtOnce = 100

const factOfLast = "runs_moved_until"

/** Code below this level of the log's tables would say of a moved run that there is none: it must not start on the database any more. */
const leastLevel = 18

const Hour = Schema.Struct({ hour: Schema.Date, hashes: Schema.Uint8Array })
interface Hour extends Schema.Schema.Type<typeof Hour> {}

const hourRows = rowsOf(Hour.fields)
const idRows = rowsOf({ id: Schema.Int })

/** Why runs stay in the tables, by their ids. */
type Reasons = ReadonlyMap<string, string>

/** Holds runs to themselves, as a file would give them again, and to their leaves in the log. */
const reasonsOf = Effect.fnUntraced(function* (runs: ReadonlyArray<WholeRun>, { hashes, hour }: Hour) {
  const sql = yield* SqlClient.SqlClient
  const { simulated } = yield* LogKey
  const lines = runs.map(({ line }) => line)
  const unequal = yield* unequalLines(lines)
  const leaves = yield* leavesFrom(ofLines(sql, lines), hourOf(hour.getTime()), simulated)
  const byRun = new Map(leaves.map((leaf) => [leaf.run, leafHash(utf8(runLeafText(leaf)), sha256)]))
  const reasons = new Map<string, string>()
  for (const [n, { place, run }] of runs.entries()) {
    const leaf = byRun.get(run)
    const logged = hashes.subarray(place * hashLength, (place + 1) * hashLength)
    if (unequal.has(n)) reasons.set(run, "its rows would not be the same again")
    else if (leaf === undefined || !equalBytes(leaf, logged))
      reasons.set(run, "its leaf is not the one that the log has")
  }
  return reasons
})

/** Writes the file of these runs, and reads it back. Fails with `RunsUnavailable` where it is not the same. */
const writeFile = Effect.fnUntraced(function* (runs: ReadonlyArray<WholeRun>, hour: Date) {
  const { put } = yield* Blobs
  const text = runFileText(
    hourOf(hour.getTime()),
    runs.map(({ line }) => line)
  )
  const stored = hash("sha256", text)
  const bytes = yield* Effect.orDie(Effect.tryPromise(() => compress(text)))
  yield* put(stored, bytes)
  const lines = yield* readRunFile({ hour, sha256: stored })
  if (runs.some(({ line, run }) => lines.get(run) !== line))
    return yield* new RunsUnavailable({
      message: `the file ${stored} of the runs of ${hourOf(hour.getTime())} does not have what was written`
    })
  return { sha256: stored, bytes: bytes.length }
})

const isSame = (one: ReadonlyArray<WholeRun>, other: ReadonlyArray<WholeRun>): boolean =>
  one.length === other.length &&
  one.every(({ line, stays }, n) => other[n]?.line === line && other[n].stays === stays)

/** Enters a file and removes what is in it. In the caller's transaction. */
const enter = Effect.fnUntraced(function* (
  runs: ReadonlyArray<WholeRun>,
  file: Effect.Success<ReturnType<typeof writeFile>>,
  hour: Date
) {
  const sql = yield* SqlClient.SqlClient
  const [entered] = yield* sql`insert into run_file ${sql.insert({
    hour,
    ...file,
    runs: runs.length,
    exchanges: runs.reduce((sum, { exchanges }) => sum + exchanges, 0),
    recorded_at: new Date(yield* DataClock.now)
  })} returning id`.pipe(idRows)
  yield* sql`
    insert into moved_run (run, plugin, file)
    select run, plugin, file from unnest(${texts(runs.map(({ run }) => run))},
      ${texts(runs.map(({ plugin }) => plugin))}, ${ints(runs.map(() => entered?.id ?? 0))}) as t(run, plugin, file)`
  yield* removeWhole(runs)
  yield* raiseFacts({ [factOfLeast("log")]: leastLevel })
})

/** Says why runs stay, once of each. In the caller's transaction. */
const enterReasons = Effect.fnUntraced(function* (reasons: Reasons) {
  const sql = yield* SqlClient.SqlClient
  for (const [run, reason] of reasons) {
    yield* sql`insert into unmoved_run ${sql.insert({ run, reason, since: new Date(yield* DataClock.now) })}
      on conflict do nothing`
    yield* Effect.logError("a run cannot be moved to a file, and stays in the database", { run, reason })
  }
})

/** Moves the runs of an hour; undefined where they changed meanwhile, and nothing was done. Else how many were moved. */
const moveHour = Effect.fn("runFiles.moveHour")(function* (due: Hour) {
  const { hour } = due
  const runs = yield* wholeRunsOf(hour)
  const reasons = yield* reasonsOf(runs, due)
  const moving = runs.filter(({ run }) => !reasons.has(run))
  const file = moving.length === 0 ? undefined : yield* writeFile(moving, hour)
  return yield* withWriterLock(
    Effect.gen(function* () {
      if (!isSame(runs, yield* wholeRunsOf(hour))) return undefined
      if (file !== undefined) yield* enter(moving, file, hour)
      yield* enterReasons(reasons)
      yield* storeFact(factOfLast, String(hour.getTime()))
      return moving.length
    })
  )
})

/**
 * Moves the runs of `keepDays` ago and earlier, as far as nothing in the tables needs them: their readings and bodies went before them,
 * and their days are sealed (`attested`, epoch milliseconds). Returns how many. Runs that the log does not have stay.
 */
export const moveRuns = Effect.fn("runFiles.moveRuns")(function* (
  due: Due,
  { attested, keepDays }: { readonly attested: number; readonly keepDays: number }
) {
  const sql = yield* SqlClient.SqlClient
  const until = Math.min(
    due.data - keepDays * dayMs,
    attested,
    yield* retainedFrom,
    yield* bodiesRemovedUntil
  )
  let moved = 0
  while (true) {
    const after = new Date(Number((yield* storedFact(factOfLast)) ?? 0))
    const hours = yield* sql`
      select hour, hashes from runs_hour where hour > ${after} and hour <= ${new Date(until - hourMs)}
      order by hour limit ${hoursAtOnce}`.pipe(hourRows)
    for (const hour of hours) {
      const runs = yield* moveHour(hour)
      if (runs === undefined) return moved
      moved += runs
    }
    if (hours.length < hoursAtOnce) return moved
  }
})
