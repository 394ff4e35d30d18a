/** The service's keys as log entries, so that a key, its period and its rotation are on record and cannot be taken back. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { DocumentEntry } from "../proof/entry.ts"
import { keysKind, keysSubject, keysText } from "../proof/keysDocument.ts"
import { rowsOf } from "../sql/rows.ts"
import { keepDocument } from "./document.ts"
import { LogKey } from "./Log.ts"
import { signingKeys } from "./signingKeys.ts"

const noteRows = rowsOf({ body: Schema.String })
const newestRows = rowsOf({ n: Schema.Int, body: Schema.String })

/** The notes of all rotations, in the order of the log; one that is being made has no place in it yet. */
const rotationNotes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select d.body from signing_key k join document d on d.kind = 'rotation' and d.subject = k.kid
    order by k.log_index nulls last limit 1000`.pipe(noteRows)
  return rows.map(({ body }) => body)
})

/** The document that is due: none if the newest one in the log says the same, or the service has no key yet. */
const dueDocument = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { origin } = yield* LogKey
  const keys = yield* signingKeys
  if (keys.length === 0) return undefined
  const [newest] = yield* sql`
    select k.n, d.body from key_document k join document d on d.sha256 = k.document
    order by k.n desc limit 1`.pipe(newestRows)
  const rotations = yield* rotationNotes
  const textOf = (n: number) => keysText({ n, origin, keys, rotations })
  if (newest !== undefined && textOf(newest.n) === newest.body) return undefined
  const n = (newest?.n ?? 0) + 1
  return { n, body: textOf(n) }
}).pipe(Effect.withSpan("keysEntry.due"))

/** True if the keys differ from what the log has of them. */
export const keysAreDue = Effect.map(dueDocument, (due) => due !== undefined)

/**
 * Stores the document of the keys if it says something new. Append `entries` in the same transaction, then run `placed` with
 * the index of the first. Of two transactions that do this at once, the later one fails; the
 * next round finds the other's document.
 */
export const keysEntries = Effect.fn("keysEntry.keysEntries")(function* (now: number, simulated: boolean) {
  const sql = yield* SqlClient.SqlClient
  const due = yield* dueDocument
  if (due === undefined) return { entries: noEntries, placed: nothingPlaced }
  const entry = yield* keepDocument(
    { kind: keysKind, subject: keysSubject(due), body: due.body },
    now,
    simulated
  )
  const placed = (place: number) =>
    Effect.asVoid(
      sql`insert into key_document ${sql.insert({
        n: due.n,
        document: entry.sha256,
        log_index: place
      })}`
    )
  return { entries: [entry], placed }
})

const noEntries: ReadonlyArray<DocumentEntry> = []
const nothingPlaced = () => Effect.void
