/** Webhooks: events that the service sends by itself. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

const filter = {
  symbol: Schema.optionalKey(
    Schema.String.annotate({ description: "1 to 50 symbols, comma-separated; without it, all networks" })
  ),
  category: Schema.optionalKey(Schema.String.annotate({ description: "A category of /v1/networks" })),
  kind: Schema.optionalKey(
    Schema.String.annotate({ description: "Kinds of events, comma-separated; without it, all" })
  )
}

export const WebhookRequest = Schema.Struct({
  url: Schema.String.annotate({ description: "Where events are sent: https, to a public address" }),
  ...filter
}).annotate({ identifier: "WebhookRequest", description: "Where to send which events" })

export const Webhook = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the webhook" }),
  url: Schema.String.annotate({ description: "Where events are sent" }),
  ...filter,
  state: Schema.Literals(["active", "paused", "unchallenged"]).annotate({
    description:
      "`paused`: nothing is sent; `unchallenged`: no events are sent until the target has answered its challenge"
  }),
  unchallenged: Schema.optionalKey(
    Schema.Struct({
      since: time("When it was challenged first"),
      reason: Schema.String.annotate({ description: "What came of the last challenge, and what to do" })
    }).annotate({ description: "Present until the target has answered its challenge" })
  ),
  paused: Schema.optionalKey(
    Schema.Struct({
      by: Schema.Literals(["owner", "service"]).annotate({
        description: "`service`: the target failed for two days, answered 410, or the subscription ended"
      }),
      at: time("Since when"),
      reason: Schema.String.annotate({ description: "Why, and what to do" })
    }).annotate({ description: "Present while it is paused" })
  ),
  failing: Schema.optionalKey(
    Schema.Struct({
      since: time("When the first of these attempts failed"),
      failures: Schema.Natural.annotate({ description: "Failed attempts in a row" }),
      error: Schema.String.annotate({ description: "Result of the last one" })
    }).annotate({ description: "Present while attempts fail" })
  ),
  pending: Schema.Natural.annotate({ description: "Deliveries that have not succeeded yet" }),
  delivered_at: Schema.optionalKey(time("When a delivery last succeeded")),
  created_at: time("When it was created")
}).annotate({ identifier: "Webhook", description: "A target for events, and how it fares" })
export interface Webhook extends Schema.Schema.Type<typeof Webhook> {}

const secret = Schema.String.annotate({
  description: "Signs the deliveries (Standard Webhooks: HMAC-SHA256). It is shown only here: save it"
})

export const WebhookCreated = Schema.Struct({ ...Webhook.fields, secret }).annotate({
  identifier: "WebhookCreated",
  description: "The new webhook and its secret"
})

export const WebhookRotation = Schema.Struct({
  secret,
  previous_until: time("Until then, deliveries are signed with the previous secret, too")
}).annotate({ identifier: "WebhookRotation", description: "A new secret" })

export const WebhookList = Schema.Struct({
  webhooks: Schema.Array(Webhook).annotate({ description: "All webhooks of the account, oldest first" })
}).annotate({ identifier: "WebhookList", description: "Webhooks of the account" })

export const WebhookRemoved = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the webhook" }),
  removed: Schema.Literal(true).annotate({ description: "Always true" })
}).annotate({ identifier: "WebhookRemoved", description: "The webhook was deleted, with its deliveries" })

export const WebhookDelivery = Schema.Struct({
  id: Schema.String.annotate({ description: "Sent as `webhook-id`; the same with every attempt" }),
  type: Schema.String.annotate({
    description:
      "`event.<kind>`, `webhook.challenge`, `webhook.test`, or `webhook.gap` for events that are no longer retained"
  }),
  event_id: Schema.optionalKey(Schema.Int.annotate({ description: "The event" })),
  state: Schema.Literals(["pending", "delivered", "failed"]).annotate({
    description: "`failed`: given up after two days; it can be sent again"
  }),
  attempts: Schema.Natural.annotate({ description: "Attempts so far" }),
  created_at: time("When it was due first"),
  next_attempt_at: Schema.optionalKey(time("When it is tried next")),
  attempted_at: Schema.optionalKey(time("When it was tried last")),
  status: Schema.optionalKey(Schema.Int.annotate({ description: "HTTP status of the last answer" })),
  error: Schema.optionalKey(Schema.String.annotate({ description: "Why the last attempt failed" })),
  millis: Schema.optionalKey(Schema.Natural.annotate({ description: "How long the last attempt took" }))
}).annotate({ identifier: "WebhookDelivery", description: "One message to a target, and what became of it" })
export interface WebhookDelivery extends Schema.Schema.Type<typeof WebhookDelivery> {}

export const WebhookDeliveries = Schema.Struct({
  deliveries: Schema.Array(WebhookDelivery).annotate({ description: "Deliveries of a week, newest first" }),
  next_cursor: described.next_cursor
}).annotate({ identifier: "WebhookDeliveries", description: "What was sent, and what became of it" })
