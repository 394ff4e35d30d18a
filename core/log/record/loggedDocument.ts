/** A document of the log as evidence has it, and the head that it is under where it came after a bundle's. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { fromUtf8, toHex } from "../../proof/bytes.ts"
import { entryBytes } from "../../proof/entry.ts"
import { consistencyProof, hashLength, leafHash } from "../../proof/merkle.ts"
import type { LoggedDocument } from "../../proof/observed.ts"
import { rowsOf } from "../../sql/rows.ts"
import { documentEntry } from "../document.ts"
import { type ServedHead, treeAt } from "../heads.ts"
import { Log, LogKey } from "../Log.ts"
import { sha256 } from "../leaves.ts"

/** A document, its entry's text, and the entry's place. */
export const documentRows = rowsOf({ document: Schema.String, place: Schema.Int, entry: Schema.String })
const checkpointRows = rowsOf({ size: Schema.Int, note: Schema.String })

export const loggedDocument = Effect.fnUntraced(function* (
  { document, entry, place }: { readonly document: string; readonly place: number; readonly entry: string },
  size: number
) {
  const path = yield* (yield* Log).inclusion(place, size)
  return { document, log: { entry, index: place, size, path } } satisfies LoggedDocument
})

/** Columns of a document, as its entry is made of them. */
export const storedDocument = {
  sha256: Schema.String,
  kind: Schema.String,
  subject: Schema.String,
  body: Schema.String,
  recorded_at: Schema.Date
}

/** A document whose entry is found by its hash among the leaves of the log; undefined where it is not under `size` entries. */
export const loggedUnder = Effect.fnUntraced(function* (
  { body, recorded_at, ...document }: Schema.Struct<typeof storedDocument>["Type"],
  { tree }: ServedHead,
  size: number
) {
  const { simulated } = yield* LogKey
  const entry = entryBytes(documentEntry({ ...document }, recorded_at.getTime(), simulated))
  const place = placeOf(tree.levels[0] ?? new Uint8Array(), leafHash(entry, sha256))
  return place === undefined || place >= size
    ? undefined
    : yield* loggedDocument({ document: body, entry: fromUtf8(entry), place }, size)
})

const placeOf = (leaves: Uint8Array, hash: Uint8Array): number | undefined => {
  const all = Buffer.from(leaves.buffer, leaves.byteOffset, leaves.byteLength)
  for (let at = all.indexOf(hash); at >= 0; at = all.indexOf(hash, at + 1))
    if (at % hashLength === 0) return at / hashLength
  return undefined
}

/** The first checkpoint over an entry: those who signed the bundle's are likely to have signed it, too. */
export const headOver = Effect.fnUntraced(function* (place: number, head: ServedHead, size: number) {
  const sql = yield* SqlClient.SqlClient
  const [first] = yield* sql`
    select size, note from checkpoint where size > ${place} and size <= ${head.size} order by size limit 1`.pipe(
    checkpointRows
  )
  return first === undefined
    ? undefined
    : {
        size: first.size,
        head: {
          checkpoint: first.note,
          consistency: consistencyProof(treeAt(head.tree, first.size), size).map(toHex)
        }
      }
})
