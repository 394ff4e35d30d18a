/** When a payment of a warranty is stopped: at a ceiling. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { advisoryLock } from "../../sql/advisoryLock.ts"
import { rowsOf } from "../../sql/rows.ts"

const lock = advisoryLock("warranty")

const lockedRows = rowsOf({
  amount: Schema.BigInt,
  because: Schema.String,
  released: Schema.Boolean,
  most_per_day: Schema.BigInt,
  most_in_total: Schema.BigInt
})
const spentRows = rowsOf({ stopped: Schema.Boolean, today: Schema.BigInt, total: Schema.BigInt })

/**
 * Locks what is due of a sale until the end of the transaction in hand, and gives it if it may be paid now. Otherwise it stops:
 * a ceiling is reached, or an earlier payment waits for the operator. Undefined if nothing is due, or if it stopped.
 */
export const payableNow = Effect.fnUntraced(function* (sale: string) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DataClock.now
  // One at a time, so that two processes never pay from one rest of a ceiling.
  yield* sql`select pg_advisory_xact_lock(${lock.space}::int, ${lock.number}::int)`
  const [payment] = yield* sql`
    select p.amount, p.because, p.released_at is not null as released, w.most_per_day, w.most_in_total
    from warranty_payment p join warranty_sale w on w.sale = p.sale where p.sale = ${sale} and p.state = 'due'
    for update of p`.pipe(lockedRows)
  if (payment === undefined) return undefined
  const [spent] = yield* sql`
    select exists (select from warranty_payment where state = 'stopped') as stopped,
      coalesce(sum(amount), 0)::bigint as total,
      coalesce(sum(amount) filter (where paid_at >= ${new Date(now - (now % dayMs))}), 0)::bigint as today
    from warranty_payment where state = 'paid'`.pipe(spentRows)
  const { stopped = false, today = 0n, total = 0n } = spent ?? {}
  const { amount, because, most_in_total, most_per_day, released } = payment
  if (!released && (stopped || today + amount > most_per_day || total + amount > most_in_total)) {
    yield* sql`update warranty_payment set state = 'stopped' where sale = ${sale}`
    return undefined
  }
  return { amount, because, now: new Date(now) }
})
