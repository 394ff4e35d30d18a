import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Callers } from "../../core/credits/Callers.ts"
import { Webhooks } from "../../core/webhooks/Webhooks.ts"
import { TooManyWebhookTests } from "../../core/wire/problems/webhooks.ts"
import { Api } from "../api/Api.ts"
import { linked } from "../delivery/nextPage.ts"
import { CurrentAccount } from "../middleware/account.ts"
import { orProblem } from "../problems/fromCore.ts"

const accountId = Effect.map(CurrentAccount, ({ account }) => account.id)

/** The header that says when a refused test can be repeated. */
const retryAfter = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.tapError(effect, (error) =>
    error instanceof TooManyWebhookTests
      ? HttpEffect.appendPreResponseHandler((_, response) =>
          Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(error.retry_after)))
        )
      : Effect.void
  )

export const layer = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fn(function* (handlers) {
    const webhooks = yield* Webhooks
    const { gate } = yield* Callers
    /** The account, if its tier includes webhooks. */
    const able = Effect.flatMap(CurrentAccount, ({ account }) =>
      Effect.as(gate(account, { capability: "webhooks" }), account.id)
    )
    return handlers.handleAll({
      listWebhooks: () =>
        accountId.pipe(
          Effect.flatMap(webhooks.list),
          Effect.map((list) => ({ webhooks: list })),
          orProblem
        ),
      createWebhook: ({ payload }) =>
        Effect.flatMap(able, (account) => webhooks.create(account, payload)).pipe(retryAfter, orProblem),
      webhook: ({ params }) =>
        Effect.flatMap(accountId, (account) => webhooks.find(account, params.webhook_id)).pipe(orProblem),
      removeWebhook: ({ params: { webhook_id } }) =>
        Effect.flatMap(accountId, (account) => webhooks.remove(account, webhook_id)).pipe(
          Effect.as({ id: webhook_id, removed: true as const }),
          orProblem
        ),
      pauseWebhook: ({ params }) =>
        Effect.flatMap(accountId, (account) => webhooks.pause(account, params.webhook_id)).pipe(orProblem),
      resumeWebhook: ({ params }) =>
        Effect.flatMap(able, (account) => webhooks.resume(account, params.webhook_id)).pipe(orProblem),
      rotateWebhookSecret: ({ params }) =>
        Effect.flatMap(able, (account) => webhooks.rotate(account, params.webhook_id)).pipe(orProblem),
      testWebhook: ({ params }) =>
        Effect.flatMap(able, (account) => webhooks.test(account, params.webhook_id)).pipe(
          retryAfter,
          orProblem
        ),
      webhookDeliveries: ({ params, query }) =>
        Effect.flatMap(accountId, (account) =>
          linked(webhooks.deliveries(account, params.webhook_id, query))
        ).pipe(orProblem),
      redeliver: ({ params }) =>
        Effect.flatMap(able, (account) =>
          webhooks.redeliver(account, params.webhook_id, params.delivery_id)
        ).pipe(retryAfter, orProblem)
    })
  })
)
