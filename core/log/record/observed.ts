/** A run under a head of the log: its leaf, the path to its hour's document, and the entry of that. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { equalBytes, toHex, utf8 } from "../../proof/bytes.ts"
import { buildTree, hashLength, inclusionProof, leafHash } from "../../proof/merkle.ts"
import { runLeafText } from "../../proof/runLeaf.ts"
import { hourOf } from "../../proof/runs.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Observed } from "../../wire/log/observed.ts"
import { Log, LogKey } from "../Log.ts"
import { sha256 } from "../leaves.ts"
import { wherever } from "../runFiles/movedRuns.ts"
import { leavesOfRuns } from "../runLeaves.ts"

/** Where a run is in the log: its place among the runs of its hour, and the entry of that hour's document. */
export const LoggedPlace = Schema.Struct({
  hour: Schema.Date,
  place: Schema.Int,
  hashes: Schema.Uint8Array,
  document: Schema.String,
  log_index: Schema.Int,
  entry: Schema.String
})
export interface LoggedPlace extends Schema.Schema.Type<typeof LoggedPlace> {}
const placeRows = rowsOf(LoggedPlace.fields)

/** The columns of `LoggedPlace`, of a run `r` that `loggedIn` has joined. */
export const placeColumns = (sql: SqlClient.SqlClient) =>
  sql`r.hour, r.place, h.hashes, d.body as document, h.log_index, e.text as entry`

/** Joins the hour of a run `r` in the log of `size` entries. */
export const loggedIn = (sql: SqlClient.SqlClient, size: number) =>
  sql`join runs_hour h on h.hour = r.hour and h.log_index < ${size}
      join document d on d.sha256 = h.document join log_entry e on e.place = h.log_index`

/**
 * The proof of a run in the log of `size` entries (default: those of the served head); undefined where its hour is not in it: it has no
 * document yet, an earlier version stored it, or the earlier log has it. A run whose stored facts are not those that were
 * published has none either.
 */
export const observedRun = Effect.fn("Log.observedRun")(function* (run: string, size?: number) {
  const sql = yield* SqlClient.SqlClient
  const under = size ?? (yield* (yield* Log).served).size
  const [at] = yield* wherever(
    [run],
    (tables) =>
      sql`select ${placeColumns(sql)} from ${tables.run} r ${loggedIn(sql, under)} where r.id = ${run}`.pipe(
        placeRows
      ),
    () => run
  )
  return at === undefined ? undefined : yield* observedAt(run, at, under)
})

/** The proof of a run from where it is in the log of `under` entries. */
export const observedAt = Effect.fnUntraced(function* (run: string, at: LoggedPlace, under: number) {
  const log = yield* Log
  const { simulated } = yield* LogKey
  const [leaf] = yield* leavesOfRuns([run], hourOf(at.hour.getTime()), simulated)
  if (leaf === undefined) return undefined
  const text = runLeafText(leaf)
  const stored = at.hashes.subarray(at.place * hashLength, (at.place + 1) * hashLength)
  if (!equalBytes(leafHash(utf8(text), sha256), stored)) return undefined
  const tree = buildTree(at.hashes, sha256)
  return {
    leaf: text,
    index: at.place,
    size: tree.size,
    path: inclusionProof(tree, at.place).map(toHex),
    document: at.document,
    log: {
      index: at.log_index,
      size: under,
      path: yield* log.inclusion(at.log_index, under),
      entry: at.entry
    }
  } satisfies Observed
})
