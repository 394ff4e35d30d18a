/** Problems with webhooks. */
import { Schema } from "effect"
import { problem } from "./problem.ts"

export class WebhookUnknown extends problem<WebhookUnknown>()("WebhookUnknown", "webhook-unknown", {
  status: 404,
  title: "Unknown webhook",
  meaning: "This account has no webhook, or this webhook has no delivery, with this id.",
  remedy: "GET /v1/webhooks lists the webhooks of the account; deliveries are listed for a week."
}) {}

export class TooManyWebhooks extends problem<TooManyWebhooks>()("TooManyWebhooks", "too-many-webhooks", {
  status: 409,
  title: "The account has as many webhooks as it can have",
  meaning: "An account can have 20 webhooks, paused ones among them.",
  remedy: "Delete one, or widen the filter of one you have."
}) {}

export class TooManyWebhookTests extends problem<TooManyWebhookTests>()(
  "TooManyWebhookTests",
  "too-many-webhook-tests",
  {
    status: 429,
    title: "Too many tests of webhooks",
    meaning:
      "An account can have 10 tests sent and 20 webhooks challenged per hour, and no host gets more than that from all accounts together.",
    remedy: "Wait for `Retry-After` seconds; `message` says until when. Deliveries of events are not limited."
  },
  {
    /** Seconds, as in `Retry-After`. */
    retry_after: Schema.Int
  }
) {}
