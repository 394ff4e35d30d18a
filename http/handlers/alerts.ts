import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Alerts } from "../../core/alerts/Alerts.ts"
import { requestOf } from "../../core/alerts/requestOf.ts"
import { Callers } from "../../core/credits/Callers.ts"
import { TooManyConfirmations } from "../../core/wire/problems/alerts.ts"
import { Api } from "../api/Api.ts"
import { linked } from "../delivery/nextPage.ts"
import { CurrentAccount } from "../middleware/account.ts"
import { isJson } from "../middleware/contract.ts"
import { orProblem } from "../problems/fromCore.ts"
import { callerNetwork } from "../request/callerNetwork.ts"

const owner = Effect.map(CurrentAccount, ({ account }) => account)

/** The header that says when a refused alert can be made. */
const retryAfter = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.tapError(effect, (error) =>
    error instanceof TooManyConfirmations
      ? HttpEffect.appendPreResponseHandler((_, response) =>
          Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(error.retry_after)))
        )
      : Effect.void
  )

const create = (alerts: Alerts["Service"], gate: Callers["Service"]["gate"]) =>
  Effect.fnUntraced(
    function* ({ request }: { readonly request: HttpServerRequest.HttpServerRequest }) {
      if (!isJson(request)) return HttpServerResponse.empty({ status: 415 })
      const account = yield* owner
      const payload = yield* requestOf(yield* Effect.orDie(request.json))
      if (payload.channel.kind === "webhook")
        yield* gate({ account, tier: account.tier }, { capability: "webhooks" })
      return yield* alerts.create(account, payload, yield* callerNetwork)
    },
    (effect) => effect.pipe(retryAfter, orProblem)
  )

export const layer = HttpApiBuilder.group(
  Api,
  "alerts",
  Effect.fn(function* (handlers) {
    const alerts = yield* Alerts
    const { gate } = yield* Callers
    // Raw, because `requestOf` reads the body more strictly than its schema does.
    return handlers.handleRaw("createAlert", create(alerts, gate)).handleAll({
      listAlerts: () => Effect.flatMap(owner, alerts.list).pipe(orProblem),
      alert: ({ params }) =>
        Effect.flatMap(owner, ({ id }) => alerts.find(id, params.alert_id)).pipe(orProblem),
      removeAlert: ({ params: { alert_id } }) =>
        Effect.flatMap(owner, ({ id }) => alerts.remove(id, alert_id)).pipe(
          Effect.as({ id: alert_id, removed: true as const }),
          orProblem
        ),
      alertCrossings: ({ params, query }) =>
        Effect.flatMap(owner, ({ id }) => linked(alerts.crossings(id, params.alert_id, query))).pipe(
          orProblem
        )
    })
  })
)
