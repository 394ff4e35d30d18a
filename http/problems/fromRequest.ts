/** Maps every failure of a request to a problem of `core/wire/problems`. */
import { ByteSize, Cause, Effect, Formatter } from "effect"
import {
  HttpBody,
  HttpServerError,
  HttpServerRespondable,
  HttpServerResponse,
  ProblemDetails
} from "effect/http"
import { HttpApiError } from "effect/http-api"
import { Availability } from "../../core/process/Availability.ts"
import { firstIssue } from "../../core/process/decodeMessage.ts"
import { awaySeconds, awayWords, isAway } from "../../core/process/errors.ts"
import {
  BadParameter,
  BadRequest,
  BodyTooLarge,
  NotFound,
  UnsupportedMediaType
} from "../../core/wire/problems/request.ts"
import { InternalError, Unavailable } from "../../core/wire/problems/service.ts"
import { nothingThere } from "./nothingThere.ts"

type Respondable = HttpServerRespondable.Respondable

/** The problem as a response, with extra headers. */
export const respond = (
  problem: Respondable,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Effect.orDie(HttpServerRespondable.toResponse(problem)), HttpServerResponse.setHeaders(headers))

/** The problem for a part of the request that does not decode; `valid` describes what a field accepts. */
export const toBadParameter = (
  error: HttpApiError.HttpApiSchemaError,
  valid: (field: string) => { readonly valid_values?: ReadonlyArray<string>; readonly valid?: string }
) => {
  const { path, message } = firstIssue(error.cause.issue)
  const field = path.length === 0 ? "body" : path.join(".")
  // For a fault deep inside a body member, the description of the whole member does not help.
  const rules = path.length > 1 ? {} : valid(path[0] ?? "body")
  const rule =
    rules.valid !== undefined
      ? ` must be ${rules.valid}.`
      : rules.valid_values !== undefined
        ? ` must be one of ${rules.valid_values.join(", ")}.`
        : `: ${message}`
  return new BadParameter({
    message: `${field}${rule}`,
    field,
    ...rules
  })
}

/** `largestBody` is that of the path. */
const byStatus = (status: number, largestBody: ByteSize.ByteSize): Respondable => {
  switch (status) {
    case 404:
      return new NotFound({ message: nothingThere })
    case 413:
      return new BodyTooLarge({
        message: `The request body is larger than ${ByteSize.format(largestBody)}, the limit of this path.`
      })
    case 415:
      return new UnsupportedMediaType({
        message: "Unsupported media type. Send Content-Type: application/json.",
        valid_values: ["application/json"]
      })
    case 503:
      return new Unavailable({ message: "The service is temporarily unavailable. Try again later." })
  }
  return status < 500
    ? new BadRequest({ message: "The request is malformed." })
    : new InternalError({
        message:
          "An unexpected error occurred and was logged. Try again; if it persists, send the operator the request_id."
      })
}

/** The response itself, or the problem for its status if a library refused the request in another format. */
export const asProblem = (
  response: HttpServerResponse.HttpServerResponse,
  largestBody: ByteSize.ByteSize
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  response.status < 400 || response.headers["content-type"]?.startsWith(ProblemDetails.contentType) === true
    ? Effect.succeed(response)
    : respond(
        byStatus(response.status, largestBody),
        response.headers.allow === undefined ? {} : { allow: response.headers.allow }
      )

/** The problem with the id of its request, under which the log has it. */
export const withRequestId = (
  response: HttpServerResponse.HttpServerResponse,
  id: string
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (response.headers["content-type"]?.startsWith(ProblemDetails.contentType) !== true) return response
  if (body._tag !== "Uint8Array") return response
  const members = JSON.parse(Buffer.from(body.body).toString("utf8")) as object
  const text = new TextEncoder().encode(JSON.stringify({ ...members, request_id: id }))
  return HttpServerResponse.setBody(response, HttpBody.uint8Array(text, body.contentType))
}

/** True when the client disconnected or the service is stopping, so no one would read a response. */
const isGone = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.length > 0 && cause.reasons.every((reason) => reason._tag === "Interrupt")

/**
 * The response to a failed request. Unexpected errors are logged here with their trace and answered with a 500 that
 * reveals nothing. `Availability` logs once for all requests that the database is unavailable.
 */
export const toProblemResponse = (
  cause: Cause.Cause<unknown>,
  largestBody: ByteSize.ByteSize
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Availability> => {
  if (isGone(cause)) return Effect.interrupt
  const error = Cause.squash(cause)
  if (HttpServerResponse.isHttpServerResponse(error)) return asProblem(error, largestBody)
  if (error instanceof HttpServerError.HttpServerError) {
    if (error.reason._tag === "RouteNotFound") return respond(byStatus(404, largestBody))
    if (error.reason._tag === "RequestParseError") {
      return respond(byStatus(error.reason.reason === "BodyTooLarge" ? 413 : 400, largestBody))
    }
  }
  if (HttpApiError.HttpApiSchemaError.is(error) && isOfRequest(error)) {
    return respond(toBadParameter(error, () => ({})))
  }
  if (HttpServerRespondable.isRespondable(error) && !HttpApiError.HttpApiSchemaError.is(error)) {
    return Effect.flatMap(Effect.orDie(HttpServerRespondable.toResponse(error)), (response) =>
      asProblem(response, largestBody)
    )
  }
  if (isAway(error)) {
    return Effect.andThen(
      Availability.use(({ missed }) => missed(error)),
      respond(
        new Unavailable({
          message: `${awayWords(error)} Repeat the request later; repeat an order with the same Idempotency-Key.`,
          retry_after: awaySeconds
        }),
        { "retry-after": String(awaySeconds) }
      )
    )
  }
  return Effect.andThen(
    Effect.logError("a request failed", Formatter.format(error), cause),
    respond(byStatus(500, largestBody))
  )
}

export const isOfRequest = (error: HttpApiError.HttpApiSchemaError): boolean =>
  error.kind !== "Body" && error.kind !== "ResponseHeaders"
