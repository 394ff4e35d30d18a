/** Pays what warranties owe: each sale once, in the order in which it became due, until a ceiling is reached. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { advisoryLock } from "../../sql/advisoryLock.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Ledger } from "../Ledger.ts"

/** Payments of one run; the rest is paid by the next one. */
const most = 500

const lock = advisoryLock("warranty")

const dueRows = rowsOf({ sale: Schema.String, account: Schema.String })
const lockedRows = rowsOf({
  amount: Schema.BigInt,
  because: Schema.String,
  released: Schema.Boolean,
  most_per_day: Schema.BigInt,
  most_in_total: Schema.BigInt
})
const paidRows = rowsOf({ stopped: Schema.Boolean, today: Schema.BigInt, total: Schema.BigInt })

/**
 * What is due to somebody: the account that bought, or the one that last verified the wallet that paid. A payment per request
 * counts once no reorganisation can undo it.
 */
const payable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select p.sale, coalesce(u.account, w.account) as account
    from warranty_payment p left join purchase u on u.id = p.sale
      left join x402_sale x on x.id = p.sale and x.state = 'settled' and x.final_at is not null and x.lost_at is null
      left join lateral (
        select account from wallet where address = x.payer order by verified_at desc, account limit 1
      ) w on true
    where p.state = 'due' and coalesce(u.account, w.account) is not null
    order by p.due_at, p.sale limit ${most}`.pipe(dueRows)
})

/** Pays one sale, or stops it: a ceiling is reached, or an earlier payment waits for the operator. */
const payOne = Effect.fnUntraced(function* ({
  account,
  sale
}: {
  readonly account: string
  readonly sale: string
}) {
  const sql = yield* SqlClient.SqlClient
  const ledger = yield* Ledger
  const now = yield* DataClock.now
  // One at a time, so that two processes never pay from one rest of a ceiling.
  yield* sql`select pg_advisory_xact_lock(${lock.space}::int, ${lock.number}::int)`
  const [payment] = yield* sql`
    select p.amount, p.because, p.released_at is not null as released, w.most_per_day, w.most_in_total
    from warranty_payment p join warranty_sale w on w.sale = p.sale where p.sale = ${sale} and p.state = 'due'
    for update of p`.pipe(lockedRows)
  if (payment === undefined) return
  const [paid] = yield* sql`
    select exists (select from warranty_payment where state = 'stopped') as stopped,
      coalesce(sum(amount), 0)::bigint as total,
      coalesce(sum(amount) filter (where paid_at >= ${new Date(now - (now % dayMs))}), 0)::bigint as today
    from warranty_payment where state = 'paid'`.pipe(paidRows)
  const { stopped = false, today = 0n, total = 0n } = paid ?? {}
  const { amount, because, most_in_total, most_per_day, released } = payment
  if (!released && (stopped || today + amount > most_per_day || total + amount > most_in_total)) {
    yield* sql`update warranty_payment set state = 'stopped' where sale = ${sale}`
    return
  }
  yield* sql`
    update warranty_payment set state = 'paid', account = ${account}, paid_at = ${new Date(now)} where sale = ${sale}`
  yield* ledger.credit(account, amount, "sales", {
    cause: "warranty",
    reference: sale,
    key: `warranty:${sale}`,
    note: because
  })
})

/** Pays what is due, each sale in a transaction of its own. */
export const payDue = Effect.fn("warranty.payDue")(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const each of yield* payable) yield* sql.withTransaction(payOne(each))
})
