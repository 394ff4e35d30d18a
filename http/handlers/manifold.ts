import { Effect, Redacted } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { EncoderKeys } from "../../core/credits/EncoderKeys.ts"
import { TooManyRequests } from "../../core/wire/problems/service.ts"
import { Api } from "../api/Api.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { orProblem } from "../problems/fromCore.ts"
import { respond } from "../problems/fromRequest.ts"
import { networkOfRequest } from "../request/origin.ts"

/** Appends the daily quota to the rate limit headers, which are lists. */
const appended = (
  present: Readonly<Record<string, string | undefined>>,
  added: Readonly<Record<string, string>>
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(added).map(([name, value]) => [
      name,
      present[name] === undefined ? value : `${present[name]}, ${value}`
    ])
  )

export const layer = HttpApiBuilder.group(
  Api,
  "manifold",
  Effect.fn(function* (handlers) {
    const keys = yield* EncoderKeys
    const { trustProxy } = yield* HttpSettings
    return handlers.handleAll({
      distance: Effect.fn(function* ({ headers, payload }) {
        const { source } = yield* HttpServerRequest.HttpServerRequest
        const key = headers["x-api-key"]
        const caller = yield* keys
          .identify(key === undefined ? undefined : Redacted.make(key), networkOfRequest(source, trustProxy))
          .pipe(orProblem)
        const { checkPoints, distances } = yield* Effect.promise(
          () => import("../../core/products/manifold/distance.ts")
        )
        const points = yield* checkPoints(payload)
        const quota = yield* orProblem(keys.count(caller))
        yield* HttpEffect.appendPreResponseHandler((_, response) =>
          Effect.succeed(HttpServerResponse.setHeaders(response, appended(response.headers, quota.headers)))
        )
        if (quota.retryAfter !== undefined) {
          return yield* respond(
            new TooManyRequests({
              message: `Daily quota of ${caller.perDay} queries used up. Try again in ${quota.retryAfter} s.`,
              retry_after: quota.retryAfter
            }),
            { "retry-after": String(quota.retryAfter) }
          )
        }
        return yield* orProblem(distances(points))
      })
    })
  })
)
