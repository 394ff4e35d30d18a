/** What warranties sent to the addresses that paid, in the books and on the chain. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"
import { SalesChain } from "../chain/Chain.ts"
import { format } from "../Money.ts"
import type { Range } from "./chainLines.ts"
import type { Side } from "./Side.ts"

const sentRows = rowsOf({
  sale: Schema.String,
  tx: Schema.String,
  sender: Schema.String,
  recipient: Schema.String,
  amount: Schema.BigInt,
  booked: Schema.BigInt
})

/** Undefined if nothing was sent in these days. Amounts are below zero: the money went out. */
export const refundSide = Effect.fnUntraced(function* ({ from, to }: Range) {
  const sql = yield* SqlClient.SqlClient
  const chain = yield* SalesChain
  const transfers = yield* sql`
    select t.sale, t.tx, t.sender, t.recipient, t.amount, coalesce((
      select sum(e.amount) from posting p join ledger_entry e on e.posting = p.id and e.account = 'x402'
      where p.key = 'warranty:' || t.sale), 0)::bigint as booked
    from warranty_transfer t where t.final_at >= ${new Date(from)} and t.final_at < ${new Date(to)}
    order by t.final_at, t.sale`.pipe(sentRows)
  if (transfers.length === 0) return undefined
  const own = {
    name: "warranty" as const,
    books_usd: format(-transfers.reduce((sum, { booked }) => sum + booked, 0n))
  }
  if (chain === null)
    return {
      ...own,
      theirs_usd: format(0n),
      n_compared: 0,
      differences: ["the books have refunds, but no chain is configured, so they cannot be compared"]
    } satisfies Side
  const differences: Array<string> = []
  let moved = 0n
  // A transaction may have the authorizations of several sales, if somebody else sent them.
  for (const [tx, ofTransaction] of Map.groupBy(transfers, ({ tx }) => tx)) {
    const finalized = yield* chain.finalTransaction(tx)
    const unmatched = [...(finalized?.transfers ?? [])]
    for (const { amount, booked, recipient, sale, sender } of ofTransaction) {
      const place = unmatched.findIndex(
        (each) => each.from === sender && each.to === recipient && each.units === amount
      )
      const units = place < 0 ? 0n : amount
      if (place >= 0) unmatched.splice(place, 1)
      moved += units
      if (units !== booked)
        differences.push(
          `${sale}: the books have ${format(booked)} USD sent back, the chain has ${format(units)} USD in ${tx}`
        )
    }
  }
  return {
    ...own,
    theirs_usd: format(-moved),
    n_compared: transfers.length,
    differences
  } satisfies Side
})
