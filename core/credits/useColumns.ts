/** What an account has used today, and its subscriptions: columns for the statement that finds the account of a key. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { dayStarts } from "./dailyCounter.ts"
import type { Micros } from "./Money.ts"

/** A subscription, as its account sees it. */
export const SubscriptionRow = Schema.Struct({
  tier: Schema.NullOr(Schema.String),
  state: Schema.Literals(["active", "past_due", "canceling", "ended"]),
  /** What it is charged, as text: the price that it was sold at. */
  rate: Schema.NullOr(Schema.BigIntFromString),
  period_ends: Schema.NullOr(Schema.DateFromString)
})
export interface SubscriptionRow extends Schema.Schema.Type<typeof SubscriptionRow> {}

export interface Use {
  /** Calls that SQL knows of; each process writes its own every second. */
  readonly calls: number
  /** What the key that asked has spent. */
  readonly bought: Micros
  /** The live ones first, each kind newest first. */
  readonly subscriptions: ReadonlyArray<SubscriptionRow>
}

/** The columns of `useColumns`; absent where a statement does not ask for them. */
export const useFields = {
  calls_today: Schema.optionalKey(Schema.NullOr(Schema.BigInt)),
  bought_today: Schema.optionalKey(Schema.NullOr(Schema.BigInt)),
  subscriptions: Schema.optionalKey(Schema.NullOr(Schema.Array(SubscriptionRow)))
}

/** Of the account `a` and its key `k`, on the UTC day of `now`. */
export const useColumns = (sql: SqlClient, now: number) => sql`,
  (select calls from usage where day = ${dayStarts(now).toISOString().slice(0, 10)} and subject = a.id) as calls_today,
  (select sum(price)::bigint from purchase
    where account = a.id and key_id = k.id and purchased_at >= ${dayStarts(now)}) as bought_today,
  (select json_agg(json_build_object('tier', tier, 'state', state, 'rate', rate::text, 'period_ends', period_ends)
      order by state = 'ended', told_at desc)
    from subscription where account = a.id) as subscriptions`

export const useOf = ({
  bought_today,
  calls_today,
  subscriptions
}: Schema.Struct.Type<typeof useFields>): Use => ({
  calls: Number(calls_today ?? 0n),
  bought: bought_today ?? 0n,
  subscriptions: subscriptions ?? []
})
