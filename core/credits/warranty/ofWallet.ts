/** What warranties owe and have paid to a wallet that paid per request. Whoever asks may know: each of its payments is public on the chain. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"
import { PaymentState, type WalletWarranty } from "../../wire/credits/warranty.ts"
import { checksummed } from "../chain/signature.ts"
import { readAddress } from "../chain/Wallets.ts"
import { toNumber } from "../Money.ts"
import { proofOf } from "./documents.ts"

const most = 200

const sumRows = rowsOf({
  owed: Schema.BigInt,
  paid: Schema.BigInt,
  has_account: Schema.Boolean
})
const paymentRows = rowsOf({
  sale: Schema.String,
  amount: Schema.BigInt,
  because: Schema.String,
  document: Schema.String,
  state: PaymentState,
  at: Schema.Date
})

const nothing = "Nothing is owed to this wallet."

const byAccount =
  "It is paid in credits to the account that has verified this wallet, once the payment for the sale is final."

const byClaim =
  "It is paid in credits to the account that verifies this wallet: POST /v1/credits/register (free), then POST /v1/credits/crypto/challenge and /v1/credits/crypto/verify."

const claimOf = ({ has_account, owed }: { owed: bigint; has_account: boolean }): string =>
  owed === 0n ? nothing : has_account ? byAccount : byClaim

const none = { owed: 0n, paid: 0n, has_account: false }

export const warrantyOfWallet = Effect.fn("Warranty.warrantyOfWallet")(function* (named: string) {
  const sql = yield* SqlClient.SqlClient
  const wallet = yield* readAddress("wallet", named)
  // Whose payment was undone by a reorganisation is owed nothing.
  const [sums = none] = yield* sql`
    select coalesce(sum(p.amount) filter (where p.state <> 'paid' and x.lost_at is null), 0)::bigint as owed,
      coalesce(sum(p.amount) filter (where p.state = 'paid'), 0)::bigint as paid,
      exists (select from wallet w where w.address = ${wallet}) as has_account
    from warranty_payment p join x402_sale x on x.id = p.sale where x.payer = ${wallet}`.pipe(sumRows)
  const rows = yield* sql`
    select p.sale, p.amount, p.because, p.document, p.state, coalesce(p.paid_at, p.due_at) as at
    from warranty_payment p join x402_sale x on x.id = p.sale
    where x.payer = ${wallet} and (p.state = 'paid' or x.lost_at is null) order by p.due_at desc, p.sale limit ${most}`.pipe(
    paymentRows
  )
  return {
    wallet: checksummed(wallet),
    owed_usd: toNumber(sums.owed),
    paid_usd: toNumber(sums.paid),
    claim: claimOf(sums),
    payments: rows.map(({ amount, at, because, document, sale, state }) => ({
      purchase_id: sale,
      amount_usd: toNumber(amount),
      state,
      because,
      proof: proofOf(document),
      at: at.toISOString()
    }))
  } satisfies typeof WalletWarranty.Type
})
