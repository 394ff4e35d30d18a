/**
 * Sends what warranties owe to the address that paid, where no account has verified it: each sale once. The authorization is
 * written down before anything is sent, and what is sent is written down before it is sent. It is booked once the chain says
 * that no reorganisation can undo it.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { hour } from "../../plugin/time.ts"
import { ProcessState } from "../../process/ProcessState.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Ledger } from "../Ledger.ts"
import type { Payment, SubmittedTransaction } from "../x402/Settler.ts"
import { payableNow, stopAsUsed } from "./ceilings.ts"
import { draftOf } from "./pay.ts"
import { never, nonceOf, type Refunder, signRefund } from "./Refunder.ts"
import { isSendable, isUnclaimed } from "./sendable.ts"

/** Transfers of one run that are begun; the rest is begun by the next one. */
const most = 200

const owedRows = rowsOf({
  sale: Schema.String,
  payer: Schema.String,
  amount: Schema.BigInt,
  refusal: Schema.NullOr(Schema.String)
})
const Transfer = {
  sale: Schema.String,
  sender: Schema.String,
  recipient: Schema.String,
  amount: Schema.BigInt,
  nonce: Schema.String,
  signature: Schema.String,
  since_block: Schema.BigInt,
  tx: Schema.NullOr(Schema.String),
  raw: Schema.NullOr(Schema.String)
}
const transferRows = rowsOf(Transfer)
const bookedRows = rowsOf({ amount: Schema.BigInt, because: Schema.String })
type Transfer = Schema.Struct.Type<typeof Transfer>

/** What the chain refused is retried after an hour, and after what it has not refused. */
const owed = Effect.fnUntraced(function* (refunder: Refunder) {
  const sql = yield* SqlClient.SqlClient
  const hourAgo = new Date((yield* DataClock.now) - hour)
  return yield* sql`
    select p.sale, x.payer, p.amount, p.refusal from warranty_payment p join x402_sale x on x.id = p.sale
    where p.state = 'due' and ${isSendable(sql, refunder)} and (p.refused_at is null or p.refused_at <= ${hourAgo})
    order by p.refused_at nulls first, p.due_at, p.sale limit ${most}`.pipe(owedRows)
})

const paymentOf = ({ amount, nonce, recipient, sender, signature }: Transfer): Payment => ({
  signature,
  authorization: { from: sender, to: recipient, value: amount, validAfter: 0n, validBefore: never, nonce }
})

/** Writes the authorization of a debt down, or stops the payment. */
const begin = Effect.fnUntraced(function* (
  { address, asset, network }: Refunder,
  sale: string,
  { authorization: { nonce, to, value }, signature }: Payment,
  since: bigint
) {
  const sql = yield* SqlClient.SqlClient
  const payment = yield* payableNow(sale)
  if (payment === undefined) return
  const written = yield* sql`
    insert into warranty_transfer (sale, network, asset, sender, recipient, amount, nonce, signature, since_block, begun_at)
    select ${sale}, ${network}, ${asset}, ${address}, x.payer, ${value}::bigint, ${nonce}, ${signature}, ${since}::bigint,
      ${payment.now}::timestamptz
    from x402_sale x where x.id = ${sale} and x.payer = ${to} and ${isUnclaimed(sql)} returning sale`
  // The wallet was verified in between: its account gets credits.
  if (written.length === 0) return
  yield* sql`
    update warranty_payment set state = 'sending', refused_at = null, refusal = null where sale = ${sale}`
})

/** Records that the chain does not take a payment, and says so when that is new. */
const refuse = Effect.fnUntraced(function* (
  sale: string,
  earlier: string | null,
  { address }: Refunder,
  reason: string
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update warranty_payment set refused_at = ${new Date(yield* DataClock.now)}, refusal = ${reason}
    where sale = ${sale} and state = 'due'`
  if (reason !== earlier)
    yield* Effect.logWarning("a refund of a warranty is refused by the chain", {
      sale,
      from: address,
      reason
    })
})

/** Begins what is owed, in the order in which it became due, as far as the address has the money. */
const beginAll = Effect.fnUntraced(function* (refunder: Refunder) {
  const sql = yield* SqlClient.SqlClient
  for (const { amount, payer, refusal: earlier, sale } of yield* owed(refunder)) {
    const payment = yield* signRefund(refunder, { amount, payer, sale })
    const refusal = yield* refunder.verify(payment).pipe(
      Effect.flatMap(({ since }) => sql.withTransaction(begin(refunder, sale, payment, since))),
      Effect.as(undefined),
      Effect.catchTag("PaymentRefused", ({ reason }) => Effect.succeed(reason))
    )
    if (refusal === undefined) yield* driveOne(refunder, sale)
    // The operator hears of it as a warning of the service, and goes on by sending the address money.
    else if (refusal === "insufficient_funds") return
    else if (!((yield* refunder.isUsed(nonceOf(sale))) && (yield* stopAsUsed(sale))))
      yield* refuse(sale, earlier, refunder, refusal)
  }
})

/** Stores a transaction before it is broadcast. From then on only the chain decides what became of it. */
const sendingOf =
  (sql: SqlClient.SqlClient, sale: string) => (submission: SubmittedTransaction | undefined) =>
    Effect.gen(function* () {
      if ((yield* ProcessState).isStopping()) return yield* Effect.interrupt
      const stored = yield* sql`
      update warranty_transfer set tx = coalesce(${submission?.transaction ?? null}, tx), raw = ${submission?.raw ?? null}
      where sale = ${sale} and final_at is null returning sale`
      if (stored.length === 0) return yield* Effect.die(new Error(`${sale} is paid back; nothing was sent`))
    })

/** Books a transfer that is final. */
const book = Effect.fnUntraced(function* (sale: string, tx: string) {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* DataClock.now)
  const [payment] = yield* sql`
    update warranty_payment set state = 'paid', paid_at = ${now} where sale = ${sale} and state = 'sending'
    returning amount, because`.pipe(bookedRows)
  if (payment === undefined) return
  yield* sql`update warranty_transfer set tx = ${tx}, final_at = ${now} where sale = ${sale}`
  yield* (yield* Ledger).between("sales", "x402", payment.amount, draftOf(sale, payment.because))
})

/** Sends a transfer, or looks what became of it. */
const drive = Effect.fnUntraced(function* (refunder: Refunder, transfer: Transfer) {
  const sql = yield* SqlClient.SqlClient
  const { raw, sale, since_block, tx } = transfer
  const payment = paymentOf(transfer)
  const sending = sendingOf(sql, sale)
  const outcome = yield* tx === null
    ? refunder.settle(payment, since_block, sending)
    : refunder.follow(payment, since_block, { transaction: tx, ...(raw === null ? {} : { raw }) }, sending)
  if (outcome.kind === "settled") {
    if ((yield* refunder.finality(outcome.transaction)) === "final")
      yield* sql.withTransaction(book(sale, outcome.transaction))
  } else if (outcome.kind === "failed") {
    yield* Effect.logWarning("the transaction of a refund failed", { sale, reason: outcome.reason })
    // It was reverted and the authorization still holds: the next run sends it in a new transaction.
    if (outcome.submittable === true)
      yield* sql`update warranty_transfer set tx = null, raw = null where sale = ${sale} and final_at is null`
  }
})

const driveOne = Effect.fnUntraced(function* (refunder: Refunder, sale: string) {
  const sql = yield* SqlClient.SqlClient
  const [transfer] = yield* sql`
    select * from warranty_transfer where sale = ${sale} and final_at is null`.pipe(transferRows)
  if (transfer !== undefined) yield* drive(refunder, transfer)
})

/** Takes up what was begun, and begins what is owed since. A chain that does not answer ends the run; the next one goes on. */
export const sendDue = Effect.fn("warranty.sendDue")(
  function* (refunder: Refunder) {
    const sql = yield* SqlClient.SqlClient
    const open = yield* sql`
    select * from warranty_transfer where final_at is null order by begun_at, sale`.pipe(transferRows)
    for (const transfer of open) yield* drive(refunder, transfer)
    yield* beginAll(refunder)
  },
  Effect.catchTag("SettlerUnavailable", ({ message }) =>
    Effect.logWarning("refunds of warranties are waiting for the chain", { why: message })
  )
)
