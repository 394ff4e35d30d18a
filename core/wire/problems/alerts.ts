/** Problems with alerts. */
import { Schema } from "effect"
import { problem } from "./problem.ts"

export class AlertUnknown extends problem<AlertUnknown>()("AlertUnknown", "alert-unknown", {
  status: 404,
  title: "Unknown alert",
  meaning:
    "No alert has this id and this link, or this account has none with it. One that was ended is gone.",
  remedy: "GET /v1/alerts lists the alerts of the account."
}) {}

export class TooManyAlerts extends problem<TooManyAlerts>()(
  "TooManyAlerts",
  "too-many-alerts",
  {
    status: 409,
    title: "The account has as many alerts as it can have",
    meaning: "How many alerts an account can have depends on its tier: 3 with a free key, up to 1,000.",
    remedy: "End one, or take a higher tier; `limit` says how many there can be."
  },
  {
    limit: Schema.Int
  }
) {}

export class TooManyConfirmations extends problem<TooManyConfirmations>()(
  "TooManyConfirmations",
  "too-many-confirmations",
  {
    status: 429,
    title: "Too many messages that ask for a confirmation",
    meaning:
      "Each new alert sends its addressee one message that asks for a confirmation: per hour 20 for an account, 20 for a network, 5 for an " +
      "addressee (a mailbox, whatever is behind a `+`), 50 for a domain of mail, and 500 in all.",
    remedy: "Wait for `Retry-After` seconds. Alerts that are confirmed are not limited by this."
  },
  {
    /** Seconds, as in `Retry-After`. */
    retry_after: Schema.Int
  }
) {}
