/** What others state of this service: what notaries, observers and Bitcoin have of it, as its database knows. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Log } from "../Log.ts"
import { recordCache } from "./recordCache.ts"
import { witnessed } from "./witnessed.ts"

/** Notaries and observers of one answer. */
const most = 100

const notaryRows = rowsOf({ notary: Schema.String, n: Schema.Int })
const observerRows = rowsOf({
  kid: Schema.String,
  day: Schema.String,
  state: Schema.Literals(["read", "silent", "invalid"]),
  n_agree: Schema.Int,
  n_differs: Schema.Int,
  log_index: Schema.Int
})
const anchorRows = rowsOf({
  size: Schema.Int,
  network: Schema.String,
  block_height: Schema.Int,
  block_time: Schema.Date
})

const vouched = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { size } = yield* (yield* Log).served
  const since = new Date((yield* DataClock.now) - dayMs)
  const notaries = yield* sql`
    select t.notary, count(distinct t.sha256)::int as n from run r
      join exchange_note e on e.run = r.id join note t on t.sha256 = e.note
    where r.started_at >= ${since} group by t.notary order by t.notary limit ${most}`.pipe(notaryRows)
  const observers = yield* sql`
    select distinct on (o.kid) o.kid, o.day::text as day, o.state, o.n_agree, o.n_differs, a.log_index
    from agreement_observer o join agreement_day a on a.day = o.day
    order by o.kid, o.day desc limit ${most}`.pipe(observerRows)
  const [anchor] = yield* sql`
    select size, network, block_height, block_time from anchor
    where state in ('confirmed', 'final') and size <= ${size}::int order by size desc, id limit 1`.pipe(
    anchorRows
  )
  return { notaries, observers, anchor, witnesses: yield* witnessed }
})

const cachedVouched = recordCache<Effect.Success<typeof vouched>>(1)

/**
 * Statements of the last 24 hours by notary (its verifier key), the newest compared day of each observer (the kid of its key), the
 * newest head in a block of Bitcoin, and the newest head of each witness. From memory until the record moves.
 */
export const vouchedFor = cachedVouched("vouched", vouched)
