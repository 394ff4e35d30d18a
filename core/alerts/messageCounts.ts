/** What became of the messages of alerts, for metrics. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day, hour } from "../plugin/time.ts"
import { rowsOf } from "../sql/rows.ts"

const channelRows = rowsOf({ channel: Schema.String, undelivered: Schema.Int, delivered: Schema.Int })
const waitingRows = rowsOf({ since: Schema.NullOr(Schema.Date) })

/** By channel: what is retried or was given up in the last day, and what arrived in the last hour. `now` is the wall clock. */
export const messagesByChannel = Effect.fnUntraced(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select a.channel::json ->> 'kind' as channel,
      (count(*) filter (where (d.state = 'pending' and d.error is not null)
        or (d.state = 'failed' and d.attempted_at > ${new Date(now - day)})))::int as undelivered,
      (count(*) filter (where d.state = 'delivered' and d.attempted_at > ${new Date(now - hour)}))::int as delivered
    from alert_delivery d join alert a on a.id = d.alert group by 1`.pipe(channelRows)
})

/** When the oldest message was due that nobody has tried; undefined without one. */
export const oldestUntried = Effect.fnUntraced(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  const [oldest] = yield* sql`
    select min(d.due_at) as since from alert_delivery d join alert a on a.id = d.alert
    where d.state = 'pending' and d.attempts = 0 and d.due_at <= ${new Date(now)}
      and (d.type = 'confirmation' or a.state = 'active')`.pipe(waitingRows)
  return oldest?.since ?? undefined
})
