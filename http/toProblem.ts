/** Every failure of a request becomes one of the problems of `core/wire/problems`: here is which. */
import { Cause, Effect, Formatter } from "effect"
import { HttpServerError, HttpServerRespondable, HttpServerResponse, ProblemDetails } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { Availability } from "../core/data/Availability.ts"
import { awaySeconds, isAway } from "../core/data/errors.ts"
import { firstFault } from "../core/data/fault.ts"
import {
  BadParameter,
  BadRequest,
  BodyTooLarge,
  NotFound,
  UnsupportedMediaType
} from "../core/wire/problems/request.ts"
import { InternalError, Unavailable } from "../core/wire/problems/service.ts"

type Respondable = HttpServerRespondable.Respondable

/** A problem as an answer, with headers beside. */
export const respond = (
  problem: Respondable,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Effect.orDie(HttpServerRespondable.toResponse(problem)), HttpServerResponse.setHeaders(headers))

/** The problem of a request part that does not decode; `valid` says what would have, by field. */
export const undecodable = (
  error: HttpApiError.HttpApiSchemaError,
  valid: (field: string) => { readonly valid_values?: ReadonlyArray<string>; readonly valid?: string }
) => {
  const { path, words } = firstFault(error.cause.issue)
  const field = path.length === 0 ? "body" : path.join(".")
  // Deep inside a member of a body, what the whole member takes does not say what is wrong.
  const said = path.length > 1 ? {} : valid(path[0] ?? "body")
  const takes =
    said.valid !== undefined
      ? `must be ${said.valid}`
      : said.valid_values !== undefined
        ? `it is one of ${said.valid_values.join(", ")}.`
        : words
  return new BadParameter({
    message: `${field}: ${takes}`,
    field,
    ...said
  })
}

const byStatus = (status: number): Respondable => {
  switch (status) {
    case 404:
      return new NotFound({ message: "There is nothing at this address; /docs lists what there is." })
    case 413:
      return new BodyTooLarge({ message: "The body is larger than this path takes (64 KiB)." })
    case 415:
      return new UnsupportedMediaType({
        message: "This path takes a body of type application/json.",
        valid_values: ["application/json"]
      })
    case 503:
      return new Unavailable({ message: "This is not available at the moment." })
  }
  return status < 500
    ? new BadRequest({ message: "The request cannot be read." })
    : new InternalError({
        message: "The service failed on this request. It has been logged; trying again may help."
      })
}

/** The answer itself, or the problem of its status where a part below us refused in another form. */
export const asProblem = (
  response: HttpServerResponse.HttpServerResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  response.status < 400 || response.headers["content-type"]?.startsWith(ProblemDetails.contentType) === true
    ? Effect.succeed(response)
    : respond(
        byStatus(response.status),
        response.headers.allow === undefined ? {} : { allow: response.headers.allow }
      )

/** True when the client went away, or the service is stopping: nobody reads an answer. */
const isGone = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.length > 0 && cause.reasons.every((reason) => reason._tag === "Interrupt")

/**
 * The answer to a failed request. What nobody foresaw is logged here with its trace, and answered with a 500 that
 * shows nothing of it. That the database is away is logged once for all requests, by `Availability`.
 */
export const failed = (
  cause: Cause.Cause<unknown>,
  unmatched: Effect.Effect<HttpServerResponse.HttpServerResponse>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Availability> => {
  if (isGone(cause)) return Effect.interrupt
  const error = Cause.squash(cause)
  if (HttpServerResponse.isHttpServerResponse(error)) return asProblem(error)
  if (error instanceof HttpServerError.HttpServerError) {
    if (error.reason._tag === "RouteNotFound") return unmatched
    if (error.reason._tag === "RequestParseError") {
      return respond(byStatus(error.reason.reason === "BodyTooLarge" ? 413 : 400))
    }
  }
  if (HttpApiError.HttpApiSchemaError.is(error) && isOfRequest(error)) {
    return respond(undecodable(error, () => ({})))
  }
  if (HttpServerRespondable.isRespondable(error) && !HttpApiError.HttpApiSchemaError.is(error)) {
    return Effect.flatMap(Effect.orDie(HttpServerRespondable.toResponse(error)), asProblem)
  }
  if (isAway(error)) {
    return Effect.andThen(
      Availability.use(({ missed }) => missed(error)),
      respond(
        new Unavailable({
          message:
            "The database does not answer at the moment. The same request may be sent again, an order with its Idempotency-Key.",
          retry_after: awaySeconds
        }),
        { "retry-after": String(awaySeconds) }
      )
    )
  }
  return Effect.andThen(
    Effect.logError("a request failed", Formatter.format(error), cause),
    respond(byStatus(500))
  )
}

export const isOfRequest = (error: HttpApiError.HttpApiSchemaError): boolean =>
  error.kind !== "Body" && error.kind !== "ResponseHeaders"
