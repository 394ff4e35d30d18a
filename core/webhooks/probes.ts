/** Bounds what owners can have sent to a host without an event: its owner may not have asked for any of it. */
import { Clock, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { hour } from "../plugin/time.ts"
import { isoTime } from "../plugin/Value.ts"
import { rowsOf } from "../sql/rows.ts"
import { TooManyWebhookTests } from "../wire/problems/webhooks.ts"

/** Per hour, of an account and of a host, whoever asks: challenges of new webhooks, and tests. */
const most = { challenge: 20, test: 10 } as const

const lastRows = rowsOf({ of_account: Schema.NullOr(Schema.Date), of_host: Schema.NullOr(Schema.Date) })

/** Counts a message, or fails with when the next can be sent. In a transaction that holds the account's row. */
export const countProbe = Effect.fnUntraced(function* (
  account: string,
  url: string,
  kind: keyof typeof most
) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const { hostname: host } = new URL(url)
  const since = new Date(now - hour)
  const first = most[kind] - 1
  const [last] = yield* sql`
    select
      (select at from webhook_probe where account = ${account} and kind = ${kind} and at > ${since}
        order by at desc offset ${first} limit 1) as of_account,
      (select at from webhook_probe where host = ${host} and kind = ${kind} and at > ${since}
        order by at desc offset ${first} limit 1) as of_host`.pipe(lastRows)
  const used = Math.max(last?.of_account?.getTime() ?? 0, last?.of_host?.getTime() ?? 0)
  if (used > 0) {
    const again = used + hour
    const whose = last?.of_account === null ? `the host ${host}` : "this account"
    return yield* new TooManyWebhookTests({
      message: `${most[kind]} ${kind}s per hour can be sent for ${whose}; the next can be sent at ${isoTime(again)}.`,
      retry_after: Math.ceil((again - now) / 1000)
    })
  }
  yield* sql`insert into webhook_probe ${sql.insert({ account, host, kind, at: new Date(now) })}`
})
