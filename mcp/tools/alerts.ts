/** Alerts, in the full edition only: one tool, so that the list of tools stays small. */
import { Effect, Schema } from "effect"
import { Alerts } from "../../core/alerts/Alerts.ts"
import { requestOf } from "../../core/alerts/requestOf.ts"
import { Callers } from "../../core/credits/Callers.ts"
import { AlertRequest } from "../../core/wire/alerts/alert.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { accountOf, define } from "../Tool.ts"

const actions = ["list", "create", "end", "crossings"] as const

const inputOf = <A extends Schema.Top>(alert: A) =>
  Schema.Struct({
    action: Schema.Literals(actions),
    alert: Schema.optionalKey(alert),
    id: Schema.optionalKey(Schema.String),
    cursor: Schema.optionalKey(Schema.String)
  })

export const manageAlerts = define({
  name: "manage_alerts",
  title: "Alerts",
  description:
    "Be told when a condition becomes true, by message or feed. create: alert, of which POST /v1/alerts in /docs says more; crossings, end: id. What is true already is no crossing; the addressee confirms first.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  editions: ["full"],
  key: "needed",
  // `requestOf` refuses members that a condition does not have; a struct leaves them out.
  input: inputOf(Schema.Unknown),
  shown: inputOf(AlertRequest),
  run: Effect.fnUntraced(function* ({ action, alert, cursor, id }, call) {
    const account = yield* accountOf(call, "account")
    const alerts = yield* Alerts
    if (action === "list") return yield* alerts.list(account)
    if (action === "create") {
      const request = yield* requestOf(alert)
      const { gate } = yield* Callers
      if (request.channel.kind === "webhook")
        yield* gate({ account, tier: account.tier }, { capability: "webhooks" })
      return yield* alerts.create(account, request, call.network)
    }
    if (id === undefined)
      return yield* new BadParameter({
        field: "id",
        message: `id: ${action} needs the id of an alert; list shows them.`
      })
    if (action === "crossings")
      return yield* alerts.crossings(account.id, id, {
        limit: 50,
        ...(cursor === undefined ? {} : { cursor })
      })
    yield* alerts.remove(account.id, id)
    return { id, removed: true }
  })
})
