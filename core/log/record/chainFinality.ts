/** `/v1/attest?format=chain-finality`: what the consensus of a chain says of the block whose state proves a value. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day as dayMs } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { finalityKind, finalitySubject } from "../../proof/finality/document.ts"
import { rowsOf } from "../../sql/rows.ts"
import { NotAttested } from "../../wire/problems/request.ts"
import { chainProof } from "./chainProof.ts"
import { type AttestParams, valueNameOf } from "./publishedDay.ts"

const bodyRows = rowsOf({ body: Schema.String })

/** Days from that of a value on that may have its block: a leaf is in the batch of its day, or of one soon after. */
const mostDays = 8

/** The document's text. Fails like `chainProof`, and with `NotAttested` where the log has none of the block. */
export const chainFinality = Effect.fn("Log.chainFinality")(function* (params: AttestParams) {
  const { block, chain } = yield* chainProof(params)
  const { day } = yield* valueNameOf(params)
  const sql = yield* SqlClient.SqlClient
  const subjects = Array.from({ length: mostDays }, (_, after) =>
    finalitySubject({ day: isoTime(Date.parse(day) + after * dayMs).slice(0, 10), chain, block })
  )
  const [document] = yield* sql`
    select body from document where kind = ${finalityKind} and subject in ${sql.in(subjects)}
    order by subject limit 1`.pipe(bodyRows)
  if (document !== undefined) return document.body
  return yield* new NotAttested({
    reason: "unproved",
    message: `The log has no signatures of ${chain} itself for block ${block.number}.`
  })
})
