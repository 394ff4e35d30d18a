/** Published documents: the log holds only a document's hash; its bytes are served separately. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../plugin/Value.ts"
import { type DocumentEntry, entryTag } from "../proof/entry.ts"
import { tagged } from "../proof/leaf.ts"

/** Stores the bytes of a JSON document; returns its log entry. */
export const keepDocument = Effect.fnUntraced(function* (
  document: { readonly kind: string; readonly subject: string; readonly body: string },
  now: number,
  simulated: boolean
) {
  const sql = yield* SqlClient.SqlClient
  const sha256 = createHash("sha256").update(document.body).digest("hex")
  yield* sql`insert into document ${sql.insert({
    ...document,
    sha256,
    media_type: "application/json",
    recorded_at: new Date(now)
  })} on conflict do nothing`
  const entry: DocumentEntry = {
    v: tagged(entryTag, simulated),
    kind: document.kind,
    sha256,
    subject: document.subject,
    recorded_at: isoTime(now),
    ...(simulated ? { simulated: true } : {})
  }
  return entry
})
