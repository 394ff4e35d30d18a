import { Effect } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Alerts } from "../../core/alerts/Alerts.ts"
import { requestOf } from "../../core/alerts/requestOf.ts"
import { Callers } from "../../core/credits/Callers.ts"
import { TooManyConfirmations } from "../../core/wire/problems/alerts.ts"
import { Api } from "../api/Api.ts"
import { linked } from "../delivery/nextPage.ts"
import { CurrentAccount } from "../middleware/account.ts"
import { orProblem } from "../problems/fromCore.ts"

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

export const layer = HttpApiBuilder.group(
  Api,
  "alerts",
  Effect.fn(function* (handlers) {
    const alerts = yield* Alerts
    const { gate } = yield* Callers
    return handlers.handleAll({
      listAlerts: () => Effect.flatMap(owner, alerts.list).pipe(orProblem),
      createAlert: Effect.fnUntraced(
        function* () {
          const account = yield* owner
          const body = yield* (yield* HttpServerRequest.HttpServerRequest).json.pipe(Effect.orDie)
          const payload = yield* requestOf(body)
          if (payload.channel.kind === "webhook")
            yield* gate({ account, tier: account.tier }, { capability: "webhooks" })
          return yield* alerts.create(account, payload)
        },
        (effect) => effect.pipe(retryAfter, orProblem)
      ),
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
