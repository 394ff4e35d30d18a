/** What every endpoint promises beside its own errors, and the marks that an endpoint can carry. */
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { BadParameter, BodyTooLarge, UnsupportedMediaType } from "../../core/wire/problems/request.ts"
import { InternalError, TooManyRequests, Unavailable } from "../../core/wire/problems/service.ts"

/**
 * Checks a request against its endpoint: an unknown query name, one given twice and a value that does not decode are a
 * 400 that names the field and what is valid.
 */
export class Contract extends HttpApiMiddleware.Service<Contract>()("http/api/Contract", {
  error: [BadParameter, BodyTooLarge, UnsupportedMediaType, TooManyRequests, InternalError, Unavailable]
}) {}

/**
 * How long an answer of the endpoint holds: `snapshot` until the next change of the data or the next minute, so its
 * ready bytes may be sent again; `moment` only now.
 */
export const Lasts = Context.Reference<"snapshot" | "moment">("http/api/Lasts", {
  defaultValue: () => "moment"
})

/** An example body, for the hint that a GET on a POST-only path gets. */
export const Sample = Context.Reference<unknown>("http/api/Sample", { defaultValue: () => undefined })

/** What stands for a body that was not sent. Where an endpoint does not say, a body is needed. */
export const WithoutBody = Context.Reference<string | undefined>("http/api/WithoutBody", {
  defaultValue: () => undefined
})
