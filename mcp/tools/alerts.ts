/** Alerts, in the full edition only: one tool, so that the list of tools stays small. */
import { Effect, Schema } from "effect"
import { Alerts } from "../../core/alerts/Alerts.ts"
import { requestOf } from "../../core/alerts/requestOf.ts"
import { Callers } from "../../core/credits/Callers.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { accountOf, define } from "../Tool.ts"

const actions = ["list", "create", "end", "crossings"] as const

export const manageAlerts = define({
  name: "manage_alerts",
  title: "Alerts",
  description:
    "Be told when a condition becomes true. create: alert is the body of POST /v1/alerts, in /docs; crossings, end: id.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  editions: ["full"],
  key: "needed",
  input: Schema.Struct({
    action: Schema.Literals(actions),
    alert: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    id: Schema.optionalKey(Schema.String),
    cursor: Schema.optionalKey(Schema.String)
  }),
  run: Effect.fnUntraced(function* ({ action, alert, cursor, id }, call) {
    const account = yield* accountOf(call, "account")
    const alerts = yield* Alerts
    if (action === "list") return yield* alerts.list(account)
    if (action === "create") {
      const request = yield* requestOf(alert)
      const { gate } = yield* Callers
      if (request.channel.kind === "webhook")
        yield* gate({ account, tier: account.tier }, { capability: "webhooks" })
      return { alert: yield* alerts.create(account, request) }
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
    return { removed: true }
  })
})
