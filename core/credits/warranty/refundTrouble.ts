/** Whether the transfers of warranties go out, and will: what an operator should look at. */
import { BigInt as BigInts, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { rowsOf } from "../../sql/rows.ts"
import { lacks, type Refunder } from "./Refunder.ts"
import { isSendable, troubledRefunds } from "./sendable.ts"
import { WarrantyTerms } from "./terms.ts"

const openRows = rowsOf({ open: Schema.Int })
const unsentRows = rowsOf({ unsent: Schema.BigInt })

const refunds = (n: number): string => (n === 1 ? "One refund" : `${n} refunds`)

/** How many transfers were begun and are not final. */
const openTransfers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`select count(*)::int as open from warranty_transfer where final_at is null`.pipe(
    openRows
  )
  return row?.open ?? 0
})

/** What the refund address has still to send. */
const unsent = Effect.fnUntraced(function* (refunder: Refunder) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select coalesce(sum(p.amount), 0)::bigint as unsent from warranty_payment p join x402_sale x on x.id = p.sale
    where p.state = 'due' and ${isSendable(sql, refunder)}`.pipe(unsentRows)
  return row?.unsent ?? 0n
})

/** The problem in a sentence; undefined if there is none. A chain that does not answer is reported elsewhere. */
export const refundTrouble = Effect.fn("warranty.refundTrouble")(function* (refunder: Refunder | null) {
  if (refunder === null) {
    const open = yield* openTransfers
    return open === 0
      ? undefined
      : `${refunds(open)} of warranties cannot be followed without the refund key, though begun.`
  }
  const { late, refused } = yield* troubledRefunds(yield* DataClock.now)
  if (late > 0) return `${refunds(late)} of warranties ${late === 1 ? "is" : "are"} not final after an hour.`
  if (refused > 0)
    return `${refunds(refused)} of warranties ${refused === 1 ? "is" : "are"} refused by the chain and retried each hour.`
  const needed = BigInts.max(yield* unsent(refunder), (yield* WarrantyTerms)?.perDay ?? 0n)
  return yield* Effect.match(refunder.funds, {
    onSuccess: (funds) => lacks(refunder.address, funds, needed),
    onFailure: () => undefined
  })
})
