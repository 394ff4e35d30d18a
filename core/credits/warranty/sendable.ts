/** Which payments of warranties go to a wallet on the chain, and which of them an operator should look at. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { hour } from "../../plugin/time.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Refunder } from "./Refunder.ts"

/**
 * SQL, of a sale per request `x`: its payment is final, and no account has verified the wallet that paid. With an account it is
 * paid in credits.
 */
export const isUnclaimed = (sql: SqlClient.SqlClient) =>
  sql`x.state = 'settled' and x.final_at is not null and x.lost_at is null
    and not exists (select from wallet w where w.address = x.payer)`

/** SQL, of a sale per request `x`: the refund address can pay it back. */
export const isSendable = (
  sql: SqlClient.SqlClient,
  { asset, network }: Pick<Refunder, "asset" | "network">
) => sql`x.network = ${network} and x.asset = ${asset} and ${isUnclaimed(sql)}`

const countRows = rowsOf({ late: Schema.Int, refused: Schema.Int })

/** How many transfers are not final an hour after they were begun, and how many the chain refuses to take. */
export const troubledRefunds = Effect.fn("warranty.troubledRefunds")(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select (select count(*)::int from warranty_transfer
        where final_at is null and begun_at <= ${new Date(now - hour)}) as late,
      (select count(*)::int from warranty_payment where state = 'due' and refused_at is not null) as refused`.pipe(
    countRows
  )
  return row ?? { late: 0, refused: 0 }
})
