/** The errors every endpoint can return, and the annotations that an endpoint can carry. */
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { BadParameter, BodyTooLarge, UnsupportedMediaType } from "../../core/wire/problems/request.ts"
import { InternalError, TooManyRequests, Unavailable } from "../../core/wire/problems/service.ts"

/**
 * Checks a request against its endpoint. An unknown or repeated query parameter, or a value that does not decode, is a
 * 400 that names the field and what is valid.
 */
export class Contract extends HttpApiMiddleware.Service<Contract>()("http/api/Contract", {
  error: [BadParameter, BodyTooLarge, UnsupportedMediaType, TooManyRequests, InternalError, Unavailable]
}) {}

/**
 * How long a response of the endpoint stays valid: `snapshot` until the data change or the next minute begins, so its
 * bytes are cached; `moment` is never cached.
 */
export const Lasts = Context.Reference<"snapshot" | "moment">("http/api/Lasts", {
  defaultValue: () => "moment"
})

/** An example body, for the hint returned to a GET on a POST-only path. */
export const Sample = Context.Reference<unknown>("http/api/Sample", { defaultValue: () => undefined })

/** The body assumed if none is sent. Without this annotation a body is required. */
export const WithoutBody = Context.Reference<string | undefined>("http/api/WithoutBody", {
  defaultValue: () => undefined
})
