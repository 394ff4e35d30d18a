/** Metrics of the messages of people's alerts: what did not arrive, by the way that it was sent. */
import { Clock, Effect, Metric } from "effect"
import { messagesByChannel, oldestUntried } from "../../core/alerts/messageCounts.ts"
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

/** Looks at the messages of the last days. A webhook has its deliveries, and a feed no messages. */
export const ofAlertMessages = Effect.gen(function* () {
  // Messages go by the clock on the wall.
  const now = yield* Clock.currentTimeMillis
  const channels = yield* messagesByChannel(now)
  for (const channel of channelKinds) {
    if (channel === "webhook" || channel === "feed") continue
    // Also where the last alert of a channel is gone: it must not stay at what it was.
    const counts = channels.find((one) => one.channel === channel)
    yield* Metric.update(Metric.withAttributes(undelivered, { channel }), counts?.undelivered ?? 0)
    yield* Metric.update(Metric.withAttributes(delivered, { channel }), counts?.delivered ?? 0)
  }
  const since = yield* oldestUntried(now)
  yield* Metric.update(waiting, since === undefined ? 0 : (now - since.getTime()) / 1000)
})
