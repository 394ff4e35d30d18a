/** Webhooks: the service sends events to an address of the account. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  Webhook,
  WebhookCreated,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookList,
  WebhookRemoved,
  WebhookRequest,
  WebhookRotation
} from "../../core/wire/events/webhooks.ts"
import { TierTooLow } from "../../core/wire/problems/accounts.ts"
import { BadParameter, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { TooManyWebhooks, TooManyWebhookTests, WebhookUnknown } from "../../core/wire/problems/webhooks.ts"
import { AccountKey } from "./Account.ts"
import { describe } from "./about.ts"
import { Sample } from "./Contract.ts"
import { text, wholeNumber } from "./parameters.ts"

const params = { webhook_id: Schema.String.annotate({ description: "an `id` of /v1/webhooks" }) }

export const WebhooksFamily = HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("listWebhooks", "/v1/webhooks", { success: WebhookList }).annotateMerge(
      describe(
        "Your webhooks",
        "With how each fares: what is pending, what fails and why, and whether it is paused."
      )
    ),
    HttpApiEndpoint.post("createWebhook", "/v1/webhooks", {
      payload: WebhookRequest,
      success: WebhookCreated,
      error: [BadParameter, UnknownSymbol, TierTooLow, TooManyWebhooks, TooManyWebhookTests]
    })
      .annotate(Sample, { url: "https://example.org/plumbline", kind: "revisions,incident_opened" })
      .annotateMerge(
        describe(
          "Add a webhook",
          "The target is challenged first: it gets a message of type `webhook.challenge`, signed as all are, and must answer 2xx within " +
            '15 seconds with `{"challenge": "<data.challenge>"}`, or with that text alone. Until then its state is `unchallenged`. ' +
            "Every event from its creation on that passes the filter is then sent by POST: `type` is `event.<kind>`, and `data` is the event " +
            "of /v1/events with its own signature. Messages are signed as Standard Webhooks describes (`webhook-id`, " +
            "`webhook-timestamp`, `webhook-signature`). Answer 2xx within 15 seconds. Anything else is retried for two " +
            "days, under the same `webhook-id`; a target that fails as long, or answers 410, is paused. Messages can come " +
            "twice and out of order: `webhook-id` and the event's `id` tell. Requires the Institutional tier or higher."
        )
      ),
    HttpApiEndpoint.get("webhook", "/v1/webhooks/:webhook_id", {
      params,
      success: Webhook,
      error: WebhookUnknown
    }).annotateMerge(describe("One webhook", "How it fares.")),
    HttpApiEndpoint.delete("removeWebhook", "/v1/webhooks/:webhook_id", {
      params,
      success: WebhookRemoved,
      error: WebhookUnknown
    }).annotateMerge(
      describe("Delete a webhook", "With its deliveries. What is on its way may still arrive.")
    ),
    HttpApiEndpoint.post("pauseWebhook", "/v1/webhooks/:webhook_id/pause", {
      params,
      success: Webhook,
      error: WebhookUnknown
    }).annotateMerge(describe("Pause a webhook", "Nothing is sent until it is resumed.")),
    HttpApiEndpoint.post("resumeWebhook", "/v1/webhooks/:webhook_id/resume", {
      params,
      success: Webhook,
      error: [WebhookUnknown, TierTooLow]
    }).annotateMerge(
      describe(
        "Resume a webhook",
        "Sends what was pending, then what came since, as far as it is retained (three days); a `webhook.gap` reports what is not."
      )
    ),
    HttpApiEndpoint.post("rotateWebhookSecret", "/v1/webhooks/:webhook_id/rotate", {
      params,
      success: WebhookRotation,
      error: [WebhookUnknown, TierTooLow]
    }).annotateMerge(
      describe("A new secret", "For 24 hours messages carry a signature with each of the two secrets.")
    ),
    HttpApiEndpoint.post("testWebhook", "/v1/webhooks/:webhook_id/test", {
      params,
      success: WebhookDelivery,
      error: [WebhookUnknown, TierTooLow, TooManyWebhookTests]
    }).annotateMerge(
      describe(
        "Send a test message",
        "Of type `webhook.test`, once, whether or not the webhook is paused; until the target has answered a challenge, it is " +
          "another challenge. 10 per hour, for an account and for a host."
      )
    ),
    HttpApiEndpoint.get("webhookDeliveries", "/v1/webhooks/:webhook_id/deliveries", {
      params,
      query: {
        limit: wholeNumber(1, 500, "maximum deliveries per page"),
        cursor: text("`next_cursor` of the previous page")
      },
      success: WebhookDeliveries,
      error: WebhookUnknown
    }).annotateMerge(describe("Deliveries", "What was sent in the last week, and what became of it.")),
    HttpApiEndpoint.post("redeliver", "/v1/webhooks/:webhook_id/deliveries/:delivery_id/redeliver", {
      params: {
        ...params,
        delivery_id: Schema.String.annotate({ description: "an `id` of the deliveries" })
      },
      success: WebhookDelivery,
      error: [WebhookUnknown, TierTooLow, TooManyWebhookTests]
    }).annotateMerge(
      describe(
        "Send a delivery again",
        "Once, under the same `webhook-id`. A test or a challenge counts as a test."
      )
    )
  )
  .middleware(AccountKey)
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description: "Events that the service sends. Included in Institutional, Pro and Enterprise."
    })
  )
