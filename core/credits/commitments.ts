/**
 * Salted commitments to what was sold. Each sale makes one in its own transaction; the buyer gets the salt, and the log the
 * root of each day's commitments (`core/publications/SalesLog.ts`).
 */
import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../clock/DataClock.ts"
import { fromHex, toHex } from "../proof/bytes.ts"
import { commitmentOf } from "../proof/sales.ts"
import { rowsOf } from "../sql/rows.ts"
import type { Commitment } from "../wire/credits/checkpointName.ts"

const commitmentRows = rowsOf({ salt: Schema.Uint8Array, commitment: Schema.Uint8Array })

/** Commits to the payload of a sale, and gives what its buyer gets. Call in the transaction that completes the sale. */
export const commitTo = Effect.fn("commitments.commitTo")(function* (sale: string, payloadSha256: string) {
  const sql = yield* SqlClient.SqlClient
  const salt = yield* (yield* SecureRandom).randomBytes(32)
  const sha256 = commitmentOf(toHex(salt), payloadSha256)
  yield* sql`insert into sale_commitment ${sql.insert({
    sale,
    salt,
    commitment: fromHex(sha256, 32),
    made_at: new Date(yield* DataClock.now)
  })}`
  return { salt: toHex(salt), sha256 } satisfies typeof Commitment.Type
})

/** What the buyer of a sale gets; undefined of a sale from before there were commitments. */
export const commitmentOfSale = Effect.fn("commitments.commitmentOfSale")(function* (sale: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`select salt, commitment from sale_commitment where sale = ${sale}`.pipe(
    commitmentRows
  )
  return row === undefined
    ? undefined
    : ({ salt: toHex(row.salt), sha256: toHex(row.commitment) } satisfies typeof Commitment.Type)
})
