/** Pauses alerts beyond the limit of the account's tier after a downgrade, the newest first, and resumes them when there is room. */
import { Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Accounts } from "../credits/Accounts.ts"
import { lockAccount } from "../credits/lockAccount.ts"
import { Secret } from "../credits/Secret.ts"
import { tiers } from "../credits/tiers.ts"
import { EventFeed } from "../events/EventFeed.ts"
import { PublicAddress } from "../log/record/attest.ts"
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
    /** Holds the alerts of every account to what its tier includes; returns how many were paused or resumed. */
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
  for (const { account } of accounts) {
    // Without a lock at first: most of the time nothing changes, and purchases wait for the lock of their account.
    const { tooMany, withRoom } = yield* differences(account)
    if (tooMany.length + withRoom.length > 0) changed += yield* sql.withTransaction(applyTo(account))
  }
  return changed
})

/** Which alerts of an account are to be paused, and which resumed; `lock` keeps them as they are until the transaction ends. */
const differences = Effect.fnUntraced(function* (id: string, lock: "" | "for update" = "") {
  const sql = yield* SqlClient.SqlClient
  const account = yield* (yield* Accounts).find(id)
  const limit = tiers[account?.tier ?? "free"].alerts
  const alerts = yield* sql`
    select ${sql.literal(alertColumns)} from alert a where a.account = ${id} order by a.created_at, a.id ${sql.literal(lock)}`.pipe(
    alertRows
  )
  return {
    limit,
    tooMany: alerts.filter(
      (alert, nth) => nth >= limit && alert.state === "active" && alert.over_limit_since === null
    ),
    withRoom: alerts.filter((alert, nth) => nth < limit && alert.over_limit_since !== null)
  }
})

const applyTo = Effect.fnUntraced(function* (id: string) {
  yield* lockAccount(id)
  // All at once: whoever confirms one of them waits, before either holds the writer lock.
  const { limit, tooMany, withRoom } = yield* differences(id, "for update")
  yield* Effect.forEach(tooMany, (alert) => pause(alert, limit), { discard: true })
  yield* Effect.forEach(withRoom, activate, { discard: true })
  return tooMany.length + withRoom.length
})

/** Crossings recorded before the pause are still sent. */
const pause = Effect.fnUntraced(function* (alert: StoredAlert, limit: number) {
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
