/** What operators say of a block that a proof names: the document of looks that has it, and the document's place in the log. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { BlockLooks } from "../../proof/chainLooks.ts"
import { chainLooksKind, looksAt, parseChainLooks } from "../../proof/chainLooks.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { ServedHead } from "../heads.ts"
import { laterDocument } from "./laterDocument.ts"
import { storedDocument } from "./loggedDocument.ts"

const documentRows = rowsOf(storedDocument)

/** Documents from a day on that are looked through: a leaf is in the batch of its day, or of one soon after. */
const mostDocuments = 8

/** The stored document that names a block, from a day on, with what was said; undefined where there is none. */
const documentOf = Effect.fnUntraced(function* (
  block: Pick<BlockLooks, "chain" | "hash" | "number">,
  day: string
) {
  const sql = yield* SqlClient.SqlClient
  const stored = yield* sql`
    select sha256, kind, subject, body, recorded_at from document
    where kind = ${chainLooksKind} and subject >= ${day} order by subject limit ${mostDocuments}`.pipe(
    documentRows
  )
  for (const document of stored) {
    const statements = looksAt(parseChainLooks(document.body), block)
    if (statements !== undefined) return { document, statements }
  }
  return undefined
})

/**
 * What operators say of a block of a day, as the evidence beside a bundle of `size` entries has it; undefined where nobody was asked, or
 * the log does not have it yet.
 */
export const looksOfBlock = Effect.fn("Log.looksOfBlock")(function* (
  block: Pick<BlockLooks, "chain" | "hash" | "number">,
  day: string,
  head: ServedHead,
  size: number
) {
  const match = yield* documentOf(block, day)
  if (match === undefined) return undefined
  const looks = yield* laterDocument(match.document, head, size)
  return looks === undefined ? undefined : { looks, statements: match.statements }
})
