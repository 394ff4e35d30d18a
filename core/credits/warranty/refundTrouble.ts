/** Whether the transfers of warranties go out, and will: what an operator should look at. */
import { BigInt as BigInts, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { hour } from "../../plugin/time.ts"
import { rowsOf } from "../../sql/rows.ts"
import { lacks, type Refunder } from "./Refunder.ts"
import { WarrantyTerms } from "./terms.ts"

const waitingRows = rowsOf({ late: Schema.Int, open: Schema.Int, unsent: Schema.BigInt })

/** How many transfers were begun an hour ago and more and are not final, how many are open, and what no account and no transfer has yet. */
const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hourAgo = new Date((yield* DataClock.now) - hour)
  const [row] = yield* sql`
    select count(*) filter (where p.state = 'sending' and t.begun_at <= ${hourAgo})::int as late,
      count(*) filter (where p.state = 'sending')::int as open,
      coalesce(sum(p.amount) filter (where p.state = 'due' and x.id is not null
        and not exists (select from wallet w where w.address = x.payer)), 0)::bigint as unsent
    from warranty_payment p left join warranty_transfer t on t.sale = p.sale left join x402_sale x on x.id = p.sale
    where p.state in ('due', 'sending')`.pipe(waitingRows)
  return row ?? { late: 0, open: 0, unsent: 0n }
})

/** In words; undefined if all is well. A chain that does not answer is said elsewhere. */
export const refundTrouble = Effect.fn("warranty.refundTrouble")(function* (refunder: Refunder | null) {
  const { late, open, unsent } = yield* waiting
  if (refunder === null)
    return open === 0
      ? undefined
      : `${open} refunds of the warranty are on their way and cannot be followed without the refund key.`
  if (late > 0) return `${late} refunds of the warranty are not final after an hour: see the log.`
  const needed = BigInts.max(unsent, (yield* WarrantyTerms)?.perDay ?? 0n)
  return yield* Effect.match(refunder.funds, {
    onSuccess: (funds) => lacks(refunder.address, funds, needed),
    onFailure: () => undefined
  })
})
