/** What other rooms send to a webhook of an account. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { giveUpAfter } from "./schedule.ts"

/** Whether a webhook is of an account and has answered its challenge. */
export const isReady = Effect.fnUntraced(function* (webhook: string, account: string) {
  const sql = yield* SqlClient.SqlClient
  const ready = yield* sql`
    select id from webhook where id = ${webhook} and account = ${account} and challenged_at is not null`
  return ready.length > 0
})

/**
 * Makes a message a delivery of a webhook, under the id of the message, with the retries and the signature of all of them. False if the
 * webhook was removed, or has the delivery already.
 */
export const deliver = Effect.fnUntraced(function* (
  webhook: string,
  message: { readonly id: string; readonly type: string; readonly body: string },
  now: Date
) {
  const sql = yield* SqlClient.SqlClient
  const { body, id, type } = message
  const inserted = yield* sql`
    insert into webhook_delivery (id, webhook, type, body, created_at, due_at, give_up_at)
    select ${id}, w.id, ${type}, ${body}, ${now}, ${now}, ${new Date(now.getTime() + giveUpAfter)}
    from webhook w where w.id = ${webhook} on conflict (id) do nothing returning id`
  return inserted.length > 0
})
