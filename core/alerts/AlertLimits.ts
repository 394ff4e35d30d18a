/**
 * Alerts that are too many for the tier of their account, after it became a lower one: the newest rest, and go on by themselves
 * as soon as there is room for them.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Accounts } from "../credits/Accounts.ts"
import { Secret } from "../credits/Secret.ts"
import { tiers } from "../credits/tiers.ts"
import { EventFeed } from "../events/EventFeed.ts"
import { PublicAddress } from "../log/read/attest.ts"
import { providing } from "../process/providing.ts"
import { rowsOf } from "../sql/rows.ts"
import { giveUpAfter } from "../webhooks/schedule.ts"
import { activate } from "./activate.ts"
import { conditionSays } from "./condition.ts"
import { newId, wallTime } from "./ids.ts"
import { linkOf } from "./links.ts"
import { overLimitText } from "./message.ts"
import { alertColumns, alertRows, type StoredAlert, subjectOf } from "./stored.ts"

const accountRows = rowsOf({ account: Schema.String })

export class AlertLimits extends Context.Service<
  AlertLimits,
  {
    /** Holds the alerts of every account to what its tier includes; returns how many rest or go on with it. */
    readonly apply: Effect.Effect<number, SqlError>
  }
>()("core/alerts/AlertLimits") {
  static readonly layer = Layer.effect(
    AlertLimits,
    Effect.gen(function* () {
      const provided = yield* providing(SqlClient.SqlClient, Accounts, EventFeed, Secret, SecureRandom)
      return AlertLimits.of({ apply: provided(apply)() })
    })
  )
}

const apply = Effect.fn("AlertLimits.apply")(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* sql`
    select account from alert where over_limit_since is not null
    union select account from alert group by account having count(*) > ${tiers.free.alerts}
    order by account`.pipe(accountRows)
  let changed = 0
  for (const { account } of accounts) changed += yield* sql.withTransaction(applyTo(account))
  return changed
})

const applyTo = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select 1 from account where id = ${id} for update`
  const account = yield* (yield* Accounts).find(id)
  const limit = tiers[account?.tier ?? "free"].alerts
  // All at once: whoever confirms one of them waits, before either holds the writer lock.
  const alerts = yield* sql`
    select ${sql.literal(alertColumns)} from alert a where a.account = ${id} order by a.created_at, a.id for update`.pipe(
    alertRows
  )
  const tooMany = alerts.filter(
    (alert, nth) => nth >= limit && alert.state === "active" && alert.over_limit_since === null
  )
  const withRoom = alerts.filter((alert, nth) => nth < limit && alert.over_limit_since !== null)
  yield* Effect.forEach(tooMany, (alert) => rest(alert, limit), { discard: true })
  yield* Effect.forEach(withRoom, activate, { discard: true })
  return tooMany.length + withRoom.length
})

/** What it recorded before is still told. */
const rest = Effect.fnUntraced(function* (alert: StoredAlert, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* wallTime
  yield* sql`update alert set over_limit_since = ${now} where id = ${alert.id}`
  // Who reads a feed or has a webhook reads the state of the alert.
  if (alert.channel.kind === "feed" || alert.channel.kind === "webhook") return
  const endUrl = linkOf(yield* PublicAddress, yield* Secret, "end", alert.id)
  const body = overLimitText(conditionSays(alert.condition, subjectOf(alert)), limit, endUrl)
  yield* sql`insert into alert_delivery ${sql.insert({
    id: yield* newId("msg"),
    alert: alert.id,
    // As the message that asks for a confirmation, it is about the alert, and has its text already.
    type: "confirmation",
    body: JSON.stringify(body),
    created_at: now,
    due_at: now,
    give_up_at: new Date(now.getTime() + giveUpAfter)
  })}`
})
