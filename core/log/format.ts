/** The version of the formats in which the stored log is written. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { hasTable } from "../sql/hasTable.ts"
import { rowsOf } from "../sql/rows.ts"

/** The version of leaves, entries and checkpoints that this code writes and reads. */
export const logFormat = 2

const sampleRows = rowsOf({ text: Schema.String, note: Schema.Boolean })

/** Up to version 1 a checkpoint had a fourth line, its time. */
const ofNote = (note: string): number => (note.split("\n\n")[0]?.split("\n").length === 3 ? logFormat : 1)

/** A leaf and an entry are flat canonical JSON, in which no other member can hold these characters. */
const ofText = (text: string): number =>
  Number(/"v":"service-(?:batch|entry|leaf)-v(\d+)/.exec(text)?.[1] ?? logFormat)

/**
 * The version of the first leaf, entry and checkpoint: another than this code's if one of them has another; undefined if the
 * database has no log, or an empty one. Needs no migration.
 */
export const storedFormat = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* hasTable("log_entry"))) return undefined
  const samples = yield* sql`
    (select text, false as note from log_entry order by place limit 1)
    union all (select text, false from leaf limit 1)
    union all (select note, true from checkpoint order by size limit 1)`.pipe(sampleRows)
  const versions = samples.map(({ note, text }) => (note ? ofNote(text) : ofText(text)))
  return versions.find((version) => version !== logFormat) ?? versions[0]
}).pipe(Effect.withSpan("log.storedFormat"))
