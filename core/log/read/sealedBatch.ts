/** The entry of a closed day, as the log's tree commits to it: what the leaves of the day are held to. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { equalBytes, utf8 } from "../../proof/bytes.ts"
import { type BatchEntry, isBatch, parseEntry } from "../../proof/entry.ts"
import { leafHash, treeNodes } from "../../proof/merkle.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Log } from "../Log.ts"
import { sha256 } from "../leaves.ts"

const entryRows = rowsOf({ place: Schema.Int, text: Schema.String })

/** Undefined if the day (`YYYY-MM-DD`) has no closed batch, or its entry is not the one in the log's tree. */
export const sealedBatch = Effect.fn("Log.sealedBatch")(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  const log = yield* Log
  const [entry] = yield* sql`
    select e.place, e.text from batch b join log_entry e on e.place = b.log_index
    where b.day = ${day}::date and b.closed_at is not null`.pipe(entryRows)
  if (entry === undefined) return undefined
  const current = yield* log.signed
  // Another process may have closed the day a moment ago.
  const { size, tree } = entry.place < current.size ? current : yield* log.refresh
  if (entry.place >= size) return undefined
  if (!equalBytes(treeNodes(tree)(0, entry.place), leafHash(utf8(entry.text), sha256))) return undefined
  const parsed = parseEntry(entry.text)
  return isBatch(parsed) && parsed.days[0] === day ? (parsed satisfies BatchEntry) : undefined
})
