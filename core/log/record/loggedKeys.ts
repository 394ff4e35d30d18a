/** What the log has of the service's keys under a head. */
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { FirstKeys, LoggedKeys } from "../../proof/evidence.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { ServedHead } from "../heads.ts"
import { Log } from "../Log.ts"
import { headOver, loggedDocument } from "./loggedDocument.ts"
import { recordCache } from "./recordCache.ts"

const rows = rowsOf({ place: Schema.Int, entry: Schema.String, document: Schema.String })

const read = Effect.fnUntraced(function* (size: number) {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql`
    select e.place, e.text as entry, d.body as document
    from key_document k join document d on d.sha256 = k.document join log_entry e on e.place = k.log_index
    where k.log_index < ${size} order by k.n desc limit 1`.pipe(rows)
  if (newest === undefined) return Option.none<LoggedKeys>()
  const { document, entry, place } = newest
  const path = yield* (yield* Log).inclusion(place, size)
  return Option.some<LoggedKeys>({ entry, document, index: place, size, path })
})

/** Of few heads: each covers days of values. */
const cachedRead = recordCache<Effect.Success<ReturnType<typeof read>>>(50)

/** The first document of keys and the head that it is under, where a head of `size` entries has none. */
export const firstKeys = Effect.fn("Log.firstKeys")(function* (head: ServedHead, size: number) {
  const sql = yield* SqlClient.SqlClient
  const [first] = yield* sql`
    select e.place, e.text as entry, d.body as document
    from key_document k join document d on d.sha256 = k.document join log_entry e on e.place = k.log_index
    where k.n = 1`.pipe(rows)
  const over = first === undefined ? undefined : yield* headOver(first.place, head, size)
  return first === undefined || over === undefined
    ? undefined
    : ({ head: over.head, ...(yield* loggedDocument(first, over.size)) } satisfies FirstKeys)
})

/** The newest document of keys under the head of `size` entries; a log of an earlier release has none under its older heads. */
export const loggedKeys = (size: number) => cachedRead(String(size), read(size))
