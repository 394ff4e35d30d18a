/** What the consensus of a chain says of the block whose state proves a value: `/v1/attest?format=chain-finality`, and beside a bundle. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day as dayMs } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { finalityKind, finalitySubject } from "../../proof/finality/document.ts"
import { rowsOf } from "../../sql/rows.ts"
import { NotAttested } from "../../wire/problems/request.ts"
import type { ServedHead } from "../heads.ts"
import type { BlockName } from "./chain/read.ts"
import { chainProof } from "./chainProof.ts"
import { laterDocument } from "./laterDocument.ts"
import { storedDocument } from "./loggedDocument.ts"
import { type AttestParams, valueNameOf } from "./publishedDay.ts"

const documentRows = rowsOf(storedDocument)

/** Days from that of a value on that may have its block: a leaf is in the batch of its day, or of one soon after. */
const mostDays = 8

/** The stored document of a block, from a day on; undefined where there is none. */
const documentOf = Effect.fnUntraced(function* ({ chain, number }: BlockName, day: string) {
  const sql = yield* SqlClient.SqlClient
  const subjects = Array.from({ length: mostDays }, (_, after) =>
    finalitySubject({ day: isoTime(Date.parse(day) + after * dayMs).slice(0, 10), chain, block: { number } })
  )
  const [stored] = yield* sql`
    select sha256, kind, subject, body, recorded_at from document
    where kind = ${finalityKind} and subject in ${sql.in(subjects)} order by subject limit 1`.pipe(
    documentRows
  )
  return stored
})

/** The document's text. Fails like `chainProof`, and with `NotAttested` where the log has none of the block. */
export const chainFinality = Effect.fn("Log.chainFinality")(function* (params: AttestParams) {
  const { block, chain } = yield* chainProof(params)
  const { day } = yield* valueNameOf(params)
  const document = yield* documentOf({ chain, number: block.number, hash: block.hash }, day)
  if (document !== undefined) return document.body
  return yield* new NotAttested({
    reason: "unproved",
    message: `The log has no signatures of ${chain} itself for block ${block.number}.`
  })
})

/** Who signed a block of a day, as the evidence beside a bundle of `size` entries has it; undefined where the log does not have that. */
export const finalityOfBlock = Effect.fn("Log.finalityOfBlock")(function* (
  block: BlockName,
  day: string,
  head: ServedHead,
  size: number
) {
  const stored = yield* documentOf(block, day)
  return stored === undefined ? undefined : yield* laterDocument(stored, head, size)
})
