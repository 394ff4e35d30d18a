/** Published documents: the log holds only a document's hash; its bytes are served separately. */
import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../plugin/Value.ts"
import { type DocumentEntry, entryTag } from "../proof/entry.ts"
import { tagged } from "../proof/leaf.ts"
import { rowsOf } from "../sql/rows.ts"

interface Document {
  readonly kind: string
  readonly subject: string
  readonly body: string
}

/** A document by the hash that is published of it. */
interface HashedDocument extends Document {
  readonly sha256: string
  readonly media_type: "application/json" | "text/plain"
}

/** Stores a document; false, and nothing is stored, if there is one of its hash or in its place. */
export const storeDocument = Effect.fnUntraced(function* (document: HashedDocument, at: number) {
  const sql = yield* SqlClient.SqlClient
  const stored = yield* sql`
    insert into document ${sql.insert({ ...document, recorded_at: new Date(at) })} on conflict do nothing returning 1`
  return stored.length > 0
})

/** The log entry of a document. */
export const documentEntry = (
  { kind, sha256, subject }: Omit<HashedDocument, "body" | "media_type">,
  at: number,
  simulated: boolean
): DocumentEntry => ({
  v: tagged(entryTag, simulated),
  kind,
  sha256,
  subject,
  recorded_at: isoTime(at),
  ...(simulated ? { simulated: true } : {})
})

const loggedRows = rowsOf({ document: Schema.String, entry: Schema.String })

/** A document and the text of its entry at this place of the log; undefined if they are not there. */
export const loggedDocument = Effect.fnUntraced(function* (kind: string, subject: string, place: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select d.body as document, e.text as entry from document d, log_entry e
    where d.kind = ${kind} and d.subject = ${subject} and e.place = ${place}`.pipe(loggedRows)
  return row
})

const keep = Effect.fnUntraced(function* (
  document: Document,
  media_type: HashedDocument["media_type"],
  at: number,
  simulated: boolean
) {
  const sha256 = createHash("sha256").update(document.body).digest("hex")
  yield* storeDocument({ ...document, sha256, media_type }, at)
  return documentEntry({ ...document, sha256 }, at, simulated)
})

/** Stores the bytes of a JSON document; returns its log entry. */
export const keepDocument = (document: Document, at: number, simulated: boolean) =>
  keep(document, "application/json", at, simulated)

/** Stores the text of a signed note; returns its log entry. */
export const keepNote = (document: Document, at: number, simulated: boolean) =>
  keep(document, "text/plain", at, simulated)
