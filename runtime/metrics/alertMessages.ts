/** Metrics of the messages of people's alerts: what did not arrive, by the way that it was sent. */
import { Clock, Effect, Metric, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day, hour } from "../../core/plugin/time.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { channelKinds } from "../../core/wire/alerts/alert.ts"

const undelivered = Metric.gauge("plumbline_alert_undelivered", {
  description:
    "Messages of alerts that were tried and did not arrive, by channel: those that are retried, and those given up in the last day"
})
const delivered = Metric.gauge("plumbline_alert_delivered", {
  description: "Messages of alerts that arrived in the last hour, by channel"
})
const waiting = Metric.gauge("plumbline_alert_waiting_seconds", {
  description: "Time since the oldest message of an alert was due that nobody has tried; 0 without one"
})

const channelRows = rowsOf({ channel: Schema.String, undelivered: Schema.Int, delivered: Schema.Int })
const waitingRows = rowsOf({ since: Schema.NullOr(Schema.Date) })

/** Looks at the messages of the last days. A webhook has its deliveries, and a feed no messages. */
export const ofAlertMessages = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Messages go by the clock on the wall.
  const now = yield* Clock.currentTimeMillis
  const channels = yield* sql`
    select a.channel::json ->> 'kind' as channel,
      (count(*) filter (where (d.state = 'pending' and d.error is not null)
        or (d.state = 'failed' and d.attempted_at > ${new Date(now - day)})))::int as undelivered,
      (count(*) filter (where d.state = 'delivered' and d.attempted_at > ${new Date(now - hour)}))::int as delivered
    from alert_delivery d join alert a on a.id = d.alert group by 1`.pipe(channelRows)
  for (const channel of channelKinds) {
    if (channel === "webhook" || channel === "feed") continue
    // Also where the last alert of a channel is gone: it must not stay at what it was.
    const counts = channels.find((one) => one.channel === channel)
    yield* Metric.update(Metric.withAttributes(undelivered, { channel }), counts?.undelivered ?? 0)
    yield* Metric.update(Metric.withAttributes(delivered, { channel }), counts?.delivered ?? 0)
  }
  const [oldest] = yield* sql`
    select min(d.due_at) as since from alert_delivery d join alert a on a.id = d.alert
    where d.state = 'pending' and d.attempts = 0 and d.due_at <= ${new Date(now)}
      and (d.type = 'confirmation' or a.state = 'active')`.pipe(waitingRows)
  const since = oldest?.since ?? undefined
  yield* Metric.update(waiting, since === undefined ? 0 : (now - since.getTime()) / 1000)
})
