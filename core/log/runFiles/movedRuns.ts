/**
 * Runs that are in files. A file is read whole and held to its hash, so that a damaged one is an error and never a run that is not there:
 * which runs have left the tables is for the database to say, in `moved_run`.
 */
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { LRUCache } from "lru-cache"
import { Malformed } from "../../proof/bytes.ts"
import { hourOf } from "../../proof/runs.ts"
import { texts } from "../../readings/ingest/arrays.ts"
import { Blobs } from "../../readings/ingest/Blobs.ts"
import { inTables, ofLines, type RunTables } from "../../readings/ingest/runs/wholeRuns.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Unavailable } from "../../wire/problems/service.ts"
import { parseRunFile } from "./runFile.ts"

/** A file of runs is away or damaged. The message names it, its hour and what to do. */
export class RunsUnavailable extends Schema.TaggedError<RunsUnavailable>()("RunsUnavailable", {
  message: Schema.String
}) {}

/** A file of runs, as the database has it. */
export const RunFile = Schema.Struct({ hour: Schema.Date, sha256: Schema.String })
export interface RunFile extends Schema.Schema.Type<typeof RunFile> {}

const movedRows = rowsOf({ run: Schema.String, ...RunFile.fields })

const decompress = promisify(zstdDecompress)

/** Of all files in memory, in characters. */
const mostText = 64 * 2 ** 20

/** What files hold, by their hashes: pages and proofs are often of one hour. */
const files = new LRUCache<string, ReadonlyMap<string, string>>({
  maxSize: mostText,
  sizeCalculation: (lines) => 1 + [...lines.values()].reduce((sum, line) => sum + line.length, 0)
})

/** The bytes of a file, held to its hash. */
const textOf = Effect.fnUntraced(function* ({ hour, sha256 }: RunFile) {
  const unavailable = (fault: string) =>
    new RunsUnavailable({
      message: `the file ${sha256} of the runs of ${hourOf(hour.getTime())} ${fault}; put it back from a backup of the bodies`
    })
  const stored = yield* (yield* Blobs)
    .get(sha256)
    .pipe(Effect.catchTag("BlobsUnavailable", ({ message }) => unavailable(`cannot be read: ${message}`)))
  if (Option.isNone(stored)) return yield* unavailable("is missing")
  const bytes = yield* Effect.mapError(
    Effect.tryPromise(() => decompress(stored.value)),
    () => unavailable("is damaged: it is not zstd data")
  )
  if (hash("sha256", bytes) !== sha256) return yield* unavailable("is damaged: it does not have its hash")
  return bytes.toString("utf8")
})

/** The lines of a file by run, as they are stored now. Fails with `RunsUnavailable`. */
export const readRunFile = Effect.fn("runFiles.readRunFile")(function* (file: RunFile) {
  const text = yield* textOf(file)
  return yield* Effect.try({
    try: () => parseRunFile(text),
    catch: (error) =>
      new RunsUnavailable({
        message: `the file ${file.sha256} of runs cannot be read by this version: ${error instanceof Malformed ? error.message : String(error)}`
      })
  })
})

/** A reader gets neither another answer nor none because of a file: the request fails, and the operator is told. */
const refuse = ({ message }: RunsUnavailable) =>
  Effect.andThen(
    Effect.logError("what is stored of runs is not what was stored, and is not sent", { fault: message }),
    Effect.die(
      new Unavailable({
        message:
          "What is stored of these runs cannot be read, so it is not sent. The operator was told, and brings it back from a backup."
      })
    )
  )

/** The lines of those of these runs that are in files. */
const linesOf = Effect.fnUntraced(
  function* (runs: ReadonlyArray<string>) {
    const sql = yield* SqlClient.SqlClient
    const moved = yield* sql`
    select m.run, f.hour, f.sha256 from moved_run m join run_file f on f.id = m.file
    where m.run = any(${texts(runs)}) order by f.id, m.run limit ${runs.length}`.pipe(movedRows)
    const lines: Array<string> = []
    for (const [sha256, some] of Map.groupBy(moved, ({ sha256 }) => sha256)) {
      const [file] = some
      if (file === undefined) continue
      const inFile = files.get(sha256) ?? (yield* readRunFile(file))
      files.set(sha256, inFile)
      for (const { run } of some) {
        const line = inFile.get(run)
        if (line === undefined)
          return yield* new RunsUnavailable({ message: `the file ${sha256} of runs has no run ${run}` })
        lines.push(line)
      }
    }
    return lines
  },
  Effect.catchTag("RunsUnavailable", refuse)
)

/**
 * What `ask` gives of these runs, wherever each is: it is called with the tables, and again with what stands for them of the runs that
 * gave no row, if those are in files. `runOf` says which run a row is of.
 */
export const wherever = Effect.fnUntraced(function* <A, E, R>(
  runs: ReadonlyArray<string>,
  ask: (tables: RunTables) => Effect.Effect<ReadonlyArray<A>, E, R>,
  runOf: (row: A) => string
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* ask(inTables(sql))
  const there = new Set(rows.map(runOf))
  const rest = runs.filter((run) => !there.has(run))
  const lines = rest.length === 0 ? [] : yield* linesOf(rest)
  return lines.length === 0 ? rows : [...rows, ...(yield* ask(ofLines(sql, lines)))]
})
