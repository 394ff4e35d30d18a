/**
 * The origin files of closed days: which runs gave the leaves of a batch, with their rows in order. A file is made once the runs of its
 * day are in the log, and held to the leaves and to what the log says of the runs before its entry is appended.
 */
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../clock/DataClock.ts"
import { hour as hourMs } from "../plugin/time.ts"
import { equalBytes, toHex, utf8 } from "../proof/bytes.ts"
import { type Leaf, parseLeaf } from "../proof/leaf.ts"
import { hashLength, leafHash } from "../proof/merkle.ts"
import { BatchRows, demandOrigin, type Origin, originKind, originText } from "../proof/origin.ts"
import { runLeafText } from "../proof/runLeaf.ts"
import { hourOf } from "../proof/runs.ts"
import { Blobs } from "../readings/ingest/Blobs.ts"
import { lineHashes } from "../readings/ingest/runs/lines.ts"
import { withWriterLock } from "../readings/ingest/writerLock.ts"
import { rowsOf } from "../sql/rows.ts"
import { keepDocument } from "./document.ts"
import { Log, LogKey } from "./Log.ts"
import { sha256 } from "./leaves.ts"
import { leavesOfRuns } from "./runLeaves.ts"

const decompress = promisify(zstdDecompress)

/** How long a day waits for runs that are not in the log: what has none by then is from an earlier version, or lost. */
const patience = 12 * hourMs

/** Leaves of one statement, and days of one look. */
const leavesAtOnce = 1000
const mostDays = 48

const dueRows = rowsOf({ id: Schema.Int, day: Schema.String, tree_size: Schema.Int })
const textRows = rowsOf({ text: Schema.String })
const runRows = rowsOf({
  run: Schema.String,
  hour: Schema.Date,
  place: Schema.Int,
  hashes: Schema.Uint8Array,
  rows_sha256: Schema.String
})
const owedRows = rowsOf({ owed: Schema.Boolean })

/** A closed day whose origin file is to be made. */
type Due = Effect.Success<ReturnType<typeof dueRows>>[number]

/** Closed days without a file, oldest first, up to the first that waits for a run. */
const dueDays = Effect.fnUntraced(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select b.id, b.day::text as day, b.tree_size from batch b
    where b.owes_origin and b.closed_at is not null and not exists (
      select 1 from batch e where e.owes_origin and e.closed_at > ${new Date(now - patience)} and e.day <= b.day and exists (
        select 1 from leaf l join run r on r.id = l.run where l.batch = e.id and r.hour is null
      )
    ) order by b.day limit ${mostDays}`.pipe(dueRows)
})

/** The leaves of a batch, in their order. */
const leavesOf = Effect.fnUntraced(function* ({ id, tree_size }: Due) {
  const sql = yield* SqlClient.SqlClient
  const leaves: Array<Leaf> = []
  for (let from = 0; from < tree_size; from += leavesAtOnce) {
    const rows = yield* sql`
      select text from leaf where batch = ${id} and place >= ${from} and place < ${from + leavesAtOnce} order by place
      limit ${leavesAtOnce}`.pipe(textRows)
    leaves.push(...rows.map(({ text }) => parseLeaf(text)))
    yield* Effect.yieldNow
  }
  return leaves
})

/** The leaf hashes of a run's rows; undefined where these are no longer kept. */
const rowHashes = Effect.fnUntraced(function* (rowsSha256: string) {
  const blob = yield* (yield* Blobs).get(rowsSha256)
  if (Option.isNone(blob)) return undefined
  const lines = yield* Effect.orDie(Effect.tryPromise(() => decompress(blob.value)))
  const hashes = lineHashes(lines.toString("utf8"))
  return Array.from({ length: hashes.length / hashLength }, (_, n) =>
    toHex(hashes.subarray(n * hashLength, (n + 1) * hashLength))
  )
})

/** The line of a run, if it is what the log says of it; undefined where its rows are gone, or are others by now. */
const originOf = Effect.fnUntraced(function* (
  { hashes, hour, place, rows_sha256, run }: Effect.Success<ReturnType<typeof runRows>>[number],
  rows: BatchRows
) {
  const { simulated } = yield* LogKey
  const named = yield* rowHashes(rows_sha256)
  const name = hourOf(hour.getTime())
  const [leaf] = yield* leavesOfRuns([run], name, simulated)
  if (named === undefined || leaf === undefined) return undefined
  const published = hashes.subarray(place * hashLength, (place + 1) * hashLength)
  if (!equalBytes(leafHash(utf8(runLeafText(leaf)), sha256), published)) return undefined
  const origin: Origin = {
    run,
    hour: name,
    index: place,
    rows: named.map((hash) => rows.placeOf(hash) ?? hash)
  }
  // A run of which no row is a leaf as it is now gave none: whoever changed one in between is not helped to hide it.
  if (origin.rows.every((row) => typeof row === "string")) return undefined
  return yield* Effect.try({
    try: () => {
      demandOrigin(origin, leaf, rows, sha256)
      return origin
    },
    catch: (error) => error
  }).pipe(Effect.orElseSucceed(() => undefined))
})

/** The text of a day's file. What it cannot name is a leaf without a run, which every monitor finds: the operator is told first. */
const textOf = Effect.fn("origins.textOf")(function* (due: Due) {
  const sql = yield* SqlClient.SqlClient
  const leaves = yield* leavesOf(due)
  const rows = new BatchRows(leaves, sha256)
  const runs = yield* sql`
    select r.id as run, r.hour, r.place, h.hashes, r.rows_sha256
    from (select distinct run from leaf where batch = ${due.id} and run is not null) l
      join run r on r.id = l.run join runs_hour h on h.hour = r.hour
    where r.outcome = 'stored' order by r.hour, r.place`.pipe(runRows)
  const origins: Array<Origin> = []
  for (const run of runs) {
    const origin = yield* originOf(run, rows)
    if (origin === undefined)
      yield* Effect.logError("a run that gave values of a closed day is not as the log has it", {
        day: due.day,
        run: run.run
      })
    else origins.push(origin)
  }
  const named = new Set(origins.flatMap((origin) => origin.rows))
  const without = leaves.flatMap((leaf, place) =>
    leaf.kind === "absent" || leaf.n_observations === 0 || named.has(rows.firstOf(place) ?? -1) ? [] : [leaf]
  )
  const [first] = without
  if (first !== undefined)
    yield* Effect.logError("values of a closed day are of no row of a run that the log knows", {
      day: due.day,
      values: without.length,
      first: `${first.symbol} ${first.metric} of ${first.source}, ${first.day}`
    })
  return originText(origins)
})

/** Appends the file of a day, unless another process did so meanwhile. */
const append = Effect.fnUntraced(function* ({ day, id }: Due, body: string) {
  const sql = yield* SqlClient.SqlClient
  const { simulated } = yield* LogKey
  const now = yield* DataClock.now
  const [batch] = yield* sql`select owes_origin as owed from batch where id = ${id}`.pipe(owedRows)
  if (batch?.owed !== true) return 0
  const entry = yield* keepDocument({ kind: originKind, subject: day, body }, now, simulated)
  const place = yield* (yield* Log).append([entry], now)
  yield* sql`
    update batch set owes_origin = false, origin = ${entry.sha256}, origin_index = ${place} where id = ${id}`
  return 1
})

/** Logs the origin of every closed day whose runs are in the log. Returns how many. */
export const logOrigins = Effect.gen(function* () {
  const log = yield* Log
  let logged = 0
  for (const due of yield* dueDays(yield* DataClock.now)) {
    const body = yield* textOf(due)
    logged += yield* withWriterLock(append(due, body))
  }
  if (logged > 0) yield* log.refresh
  return logged
}).pipe(Effect.withSpan("origins.logOrigins"))
