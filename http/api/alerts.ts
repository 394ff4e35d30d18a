/** Alerts: the service tells when a condition becomes true. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Alert, AlertCrossings, AlertList, AlertRemoved, AlertRequest } from "../../core/wire/alerts/alert.ts"
import { TierTooLow } from "../../core/wire/problems/accounts.ts"
import { AlertUnknown, TooManyAlerts, TooManyConfirmations } from "../../core/wire/problems/alerts.ts"
import { BadParameter, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { AccountKey } from "./Account.ts"
import { describe } from "./about.ts"
import { Sample } from "./Contract.ts"
import { text, wholeNumber } from "./parameters.ts"

const params = { alert_id: Schema.String.annotate({ description: "an `id` of /v1/alerts" }) }

export const AlertsFamily = HttpApiGroup.make("alerts")
  .add(
    HttpApiEndpoint.get("listAlerts", "/v1/alerts", { success: AlertList }).annotateMerge(
      describe("Your alerts", "With how often each condition became true, and how many alerts you can have.")
    ),
    HttpApiEndpoint.post("createAlert", "/v1/alerts", {
      payload: AlertRequest,
      success: Alert,
      error: [BadParameter, UnknownSymbol, TierTooLow, TooManyAlerts, TooManyConfirmations]
    })
      .annotate(Sample, {
        condition: { kind: "above", value: 4000 },
        symbol: "FIL",
        metric: "active_storage_providers",
        channel: { kind: "email", address: "you@example.org" }
      })
      .annotateMerge(
        describe(
          "Add an alert",
          "Every value is looked at as it comes, and a crossing is recorded once, when the condition becomes true; what is true " +
            "already is none. It is recorded again only after the condition was not true in between. The addressee gets one message that asks for a " +
            "confirmation, and nothing else before; each later message names value, source, time and proof, and ends the " +
            "alert with one click. A message is repeated under the same id until it is taken, for two days. At most one " +
            "message per `min_interval`; what happens in between is in the next. A channel of kind `webhook` needs the " +
            "Institutional tier or higher. With a free key 3 alerts, up to 1,000 with higher tiers."
        )
      ),
    HttpApiEndpoint.get("alert", "/v1/alerts/:alert_id", {
      params,
      success: Alert,
      error: AlertUnknown
    }).annotateMerge(describe("One alert", "How it fares.")),
    HttpApiEndpoint.delete("removeAlert", "/v1/alerts/:alert_id", {
      params,
      success: AlertRemoved,
      error: AlertUnknown
    }).annotateMerge(
      describe("End an alert", "What it recorded is removed. A message on its way may still arrive.")
    ),
    HttpApiEndpoint.get("alertCrossings", "/v1/alerts/:alert_id/crossings", {
      params,
      query: {
        limit: wholeNumber(1, 500, "maximum crossings per page, default 100"),
        cursor: text("`next_cursor` of the previous page")
      },
      success: AlertCrossings,
      error: [AlertUnknown, BadParameter]
    }).annotateMerge(describe("What an alert recorded", "In the last 90 days, newest first."))
  )
  .middleware(AccountKey)
  .annotateMerge(
    OpenApi.annotations({
      title: "Alerts",
      description: "Messages when a condition on a series, a network, a category or a gauge becomes true."
    })
  )
