/** The heads by which notaries are drawn. They are kept, so that the documents of hours give them and anybody can repeat each draw. */
import { hash } from "node:crypto"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { withLines } from "../proof/cosignature.ts"
import { texts } from "../readings/ingest/arrays.ts"
import { rowsOf } from "../sql/rows.ts"
import { newestCosigned } from "./storedHeads.ts"

const headRows = rowsOf({ note: Schema.String })

/** Heads of one document: a new one is cosigned every few minutes at most. */
const mostHeads = 1000

/**
 * SHA-256 of the newest cosigned checkpoint, with the newest cosignature on it, which no collector can choose; of the newest checkpoint
 * where no witness cosigns. Undefined before the first one.
 */
export const headToDrawBy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const head = yield* newestCosigned
  if (head === undefined) return undefined
  const note = head.line === null ? head.note : withLines(head.note, [head.line.trimEnd()])
  const sha256 = hash("sha256", note)
  yield* sql`insert into drawing_head (sha256, note) values (${sha256}, ${note}) on conflict do nothing`
  return sha256
})

/** The heads with these hashes, in their order; those of earlier versions were not kept. */
export const drawingHeads = Effect.fnUntraced(function* (hashes: ReadonlyArray<string>) {
  if (hashes.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const heads = yield* sql`
    select note from drawing_head where sha256 = any(${texts(hashes)}) order by sha256 limit ${mostHeads}`.pipe(
    headRows
  )
  return heads.map(({ note }) => note)
})
