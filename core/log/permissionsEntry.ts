/** The operator's permissions as log entries: what he says that upstreams allowed him is on record and cannot be taken back. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { tagged } from "../proof/leaf.ts"
import {
  type PermissionsDocument,
  parsePermissionsDocument,
  permissionsKind,
  permissionsSubject,
  permissionsTag,
  permissionsText
} from "../proof/permissions.ts"
import { Permissions } from "../rights/Permissions.ts"
import { rowsOf } from "../sql/rows.ts"
import { keepDocument } from "./document.ts"
import { LogKey } from "./Log.ts"

const bodyRows = rowsOf({ body: Schema.String })

/** The document that is due: none if the newest one says the same, or nothing was ever permitted. */
const dueDocument = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { simulated } = yield* LogKey
  const { grants } = yield* Permissions
  const [newest] = yield* sql`
    select body from document where kind = ${permissionsKind} order by subject::int desc limit 1`.pipe(
    bodyRows
  )
  const before = newest === undefined ? undefined : parsePermissionsDocument(newest.body)
  if (before === undefined && grants.length === 0) return undefined
  const documentOf = (n: number): PermissionsDocument => ({
    v: tagged(permissionsTag, simulated),
    n,
    permissions: grants.map(({ feed, from, reference, until, uses }) => ({
      feed,
      uses,
      from,
      until,
      reference
    })),
    ...(simulated ? { simulated: true } : {})
  })
  if (before !== undefined && permissionsText(documentOf(before.n)) === newest?.body) return undefined
  return documentOf((before?.n ?? 0) + 1)
}).pipe(Effect.withSpan("permissionsEntry.due"))

/** True if the permissions differ from what the log has of them. */
export const permissionsAreDue = Effect.map(dueDocument, (due) => due !== undefined)

/** Stores the document if it says something new. Append the entries in the same transaction, which must hold the writer lock. */
export const permissionsEntries = Effect.fn("permissionsEntry.permissionsEntries")(function* (
  now: number,
  simulated: boolean
) {
  const due = yield* dueDocument
  if (due === undefined) return []
  const body = permissionsText(due)
  return [
    yield* keepDocument({ kind: permissionsKind, subject: permissionsSubject(due), body }, now, simulated)
  ]
})
