/** Mailboxes whose receivers refused all mail of this service, for as long as it runs. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../sql/rows.ts"
import { AlertChannel } from "../wire/alerts/alert.ts"
import { wallTime } from "./ids.ts"
import { domainOf, mailboxOf } from "./mailbox.ts"

const mailRows = rowsOf({ id: Schema.String, channel: Schema.fromJsonString(AlertChannel) })

/** True if the receiver of a mailbox refused all mail. */
export const isRefused = Effect.fnUntraced(function* (mailbox: string) {
  const sql = yield* SqlClient.SqlClient
  const refused = yield* sql`select 1 from mail_refusal where mailbox = ${mailbox}`
  return refused.length > 0
})

/** Refuses all mail for a mailbox, and ends the alerts and mornings that go there, whoever asked for them. In a transaction. */
export const refuseMail = Effect.fnUntraced(function* (mailbox: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into mail_refusal ${sql.insert({ mailbox, at: yield* wallTime })} on conflict do nothing`
  yield* sql`delete from morning where mailbox = ${mailbox}`
  const alerts = yield* sql`
    select id, channel from alert
    where channel::jsonb->>'kind' = 'email' and lower(channel::jsonb->>'address') like ${`%@${domainOf(mailbox).replace(/[%_\\]/g, "\\$&")}`}`.pipe(
    mailRows
  )
  const those = alerts.flatMap(({ channel, id }) =>
    channel.kind === "email" && mailboxOf(channel.address) === mailbox ? [id] : []
  )
  if (those.length > 0) yield* sql`delete from alert where ${sql.in("id", those)}`
})
