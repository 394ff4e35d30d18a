import { Effect, Redacted } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { EncoderKeys } from "../../core/credits/EncoderKeys.ts"
import { checkPoints, distances } from "../../core/products/manifold/distance.ts"
import { TooManyRequests } from "../../core/wire/problems/service.ts"
import { Api } from "../api/Api.ts"
import { networkOfRequest } from "../delivery/deliver.ts"
import { orProblem } from "../orProblem.ts"
import { Settings } from "../Settings.ts"
import { respond } from "../toProblem.ts"

/** The quota's members after those of the limit by the minute: both headers are lists. */
const beside = (
  there: Readonly<Record<string, string | undefined>>,
  added: Readonly<Record<string, string>>
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(added).map(([name, value]) => [
      name,
      there[name] === undefined ? value : `${there[name]}, ${value}`
    ])
  )

export const layer = HttpApiBuilder.group(
  Api,
  "manifold",
  Effect.fn(function* (handlers) {
    const keys = yield* EncoderKeys
    const { trustProxy } = yield* Settings
    return handlers.handleAll({
      distance: Effect.fn(function* ({ headers, payload }) {
        const { source } = yield* HttpServerRequest.HttpServerRequest
        const key = headers["x-api-key"]
        const caller = yield* keys
          .identify(key === undefined ? undefined : Redacted.make(key), networkOfRequest(source, trustProxy))
          .pipe(orProblem)
        const points = yield* checkPoints(payload)
        const quota = yield* Effect.orDie(keys.count(caller))
        yield* HttpEffect.appendPreResponseHandler((_, response) =>
          Effect.succeed(HttpServerResponse.setHeaders(response, beside(response.headers, quota.headers)))
        )
        if (quota.retryAfter !== undefined) {
          return yield* respond(
            new TooManyRequests({
              message: `The ${caller.perDay} queries of this UTC day are used up; the next is allowed in ${quota.retryAfter} s.`,
              retry_after: quota.retryAfter
            }),
            { "retry-after": String(quota.retryAfter) }
          )
        }
        return yield* distances(points)
      })
    })
  })
)
