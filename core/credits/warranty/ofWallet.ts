/** What warranties owe and have paid to a wallet that paid per request. Whoever asks may know: each of its payments is public on the chain. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"
import type { WalletWarranty } from "../../wire/credits/warranty.ts"
import { checksummed } from "../chain/signature.ts"
import { readAddress } from "../chain/Wallets.ts"
import { toNumber } from "../Money.ts"
import { proofOf } from "./documents.ts"
import type { Refunder } from "./Refunder.ts"

const most = 200

const sumRows = rowsOf({ owed: Schema.BigInt, paid: Schema.BigInt })
const paymentRows = rowsOf({
  sale: Schema.String,
  amount: Schema.BigInt,
  because: Schema.String,
  document: Schema.String,
  state: Schema.Literals(["due", "stopped", "sending", "paid"]),
  at: Schema.Date,
  tx: Schema.NullOr(Schema.String)
})

const byClaim =
  "It is paid in credits, to the account that verifies this wallet, within a minute: POST /v1/credits/register (free), then POST /v1/credits/crypto/challenge and /v1/credits/crypto/verify."

const bySending = (network: string) =>
  `It is sent to this wallet in USDC on ${network} by itself, once the payment of the sale is final. To have credits instead, verify the wallet with an account before: POST /v1/credits/crypto/challenge.`

export const warrantyOfWallet = Effect.fn("Warranty.ofWallet")(function* (
  named: string,
  refunder: Refunder | null
) {
  const sql = yield* SqlClient.SqlClient
  const wallet = yield* readAddress("wallet", named)
  const [sums] = yield* sql`
    select coalesce(sum(p.amount) filter (where p.state <> 'paid'), 0)::bigint as owed,
      coalesce(sum(p.amount) filter (where p.state = 'paid'), 0)::bigint as paid
    from warranty_payment p join x402_sale x on x.id = p.sale where x.payer = ${wallet}`.pipe(sumRows)
  const rows = yield* sql`
    select p.sale, p.amount, p.because, p.document, p.state, coalesce(p.paid_at, p.due_at) as at, t.tx
    from warranty_payment p join x402_sale x on x.id = p.sale left join warranty_transfer t on t.sale = p.sale
    where x.payer = ${wallet} order by p.due_at desc, p.sale limit ${most}`.pipe(paymentRows)
  return {
    wallet: checksummed(wallet),
    owed_usd: toNumber(sums?.owed ?? 0n),
    paid_usd: toNumber(sums?.paid ?? 0n),
    claim: refunder === null ? byClaim : bySending(refunder.network),
    payments: rows.map(({ amount, at, because, document, sale, state, tx }) => ({
      purchase_id: sale,
      amount_usd: toNumber(amount),
      state,
      because,
      proof: proofOf(document),
      at: at.toISOString(),
      ...(tx === null ? {} : { transaction: tx })
    }))
  } satisfies typeof WalletWarranty.Type
})
