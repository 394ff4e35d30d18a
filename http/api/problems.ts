/**
 * The errors of the API as RFC 9457 problems: one class a `type`, whose address stays for ever and is a page with the
 * same id (`/problems/<id>`). Beside the standard members each has `error` (the id with underscores) and `message`
 * (the same words as `detail`). Clients may import this file.
 */
import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"
import { Reason, Warning } from "../../core/wire/log/readiness.ts"

/** What every problem says in words: `detail` and `message` are the same text, for readers of either. */
export const says = (message: string): { readonly detail: string; readonly message: string } => ({
  detail: message,
  message
})

/** The parameter at fault, and what would have been valid: a list where there are few, else words. */
const parameter = {
  field: Schema.optionalKey(Schema.String),
  valid_values: Schema.optionalKey(Schema.Array(Schema.String)),
  valid: Schema.optionalKey(Schema.String)
}

export class BadParameter extends HttpApiError.Problem<BadParameter>()(
  "BadParameter",
  { type: "/problems/bad-parameter", status: 400, title: "A parameter is not valid" },
  { error: Schema.tag("bad_parameter"), message: Schema.String, ...parameter }
) {}

export class BadRequest extends HttpApiError.Problem<BadRequest>()(
  "BadRequest",
  { type: "/problems/bad-request", status: 400, title: "The request cannot be read" },
  { error: Schema.tag("bad_request"), message: Schema.String, field: Schema.optionalKey(Schema.String) }
) {}

export class UnknownSymbol extends HttpApiError.Problem<UnknownSymbol>()(
  "UnknownSymbol",
  { type: "/problems/unknown-symbol", status: 404, title: "No such network" },
  {
    error: Schema.tag("unknown_symbol"),
    message: Schema.String,
    ...parameter,
    /** Symbols that come near, the nearest first. */
    did_you_mean: Schema.optionalKey(Schema.Array(Schema.String))
  }
) {}

export class NotFound extends HttpApiError.Problem<NotFound>()(
  "NotFound",
  { type: "/problems/not-found", status: 404, title: "Nothing here" },
  { error: Schema.tag("not_found"), message: Schema.String }
) {}

/** How a path wants to be called: what a GET on a POST-only path is told. */
export const Hint = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  content_type: Schema.optionalKey(Schema.String),
  /** JSON Schema of the body. */
  body: Schema.optionalKey(Schema.Unknown),
  /** A command line that works as it stands. */
  sample: Schema.String
})
export interface Hint extends Schema.Schema.Type<typeof Hint> {}

export class MethodNotAllowed extends HttpApiError.Problem<MethodNotAllowed>()(
  "MethodNotAllowed",
  { type: "/problems/method-not-allowed", status: 405, title: "This path has other methods" },
  {
    error: Schema.tag("method_not_allowed"),
    message: Schema.String,
    valid_values: Schema.Array(Schema.String),
    hint: Schema.optionalKey(Hint)
  }
) {}

export class BodyTooLarge extends HttpApiError.Problem<BodyTooLarge>()(
  "BodyTooLarge",
  { type: "/problems/body-too-large", status: 413, title: "The body is too large" },
  { error: Schema.tag("body_too_large"), message: Schema.String }
) {}

export class AddressTooLong extends HttpApiError.Problem<AddressTooLong>()(
  "AddressTooLong",
  { type: "/problems/address-too-long", status: 414, title: "The address is too long" },
  { error: Schema.tag("address_too_long"), message: Schema.String }
) {}

export class UnsupportedMediaType extends HttpApiError.Problem<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  { type: "/problems/unsupported-media-type", status: 415, title: "The body has another media type" },
  {
    error: Schema.tag("unsupported_media_type"),
    message: Schema.String,
    valid_values: Schema.optionalKey(Schema.Array(Schema.String))
  }
) {}

export class TooManyRequests extends HttpApiError.Problem<TooManyRequests>()(
  "TooManyRequests",
  { type: "/problems/too-many-requests", status: 429, title: "The limit is used up" },
  {
    error: Schema.tag("too_many_requests"),
    message: Schema.String,
    /** Seconds; the same as `Retry-After`. */
    retry_after: Schema.Int
  }
) {}

export class InternalError extends HttpApiError.Problem<InternalError>()(
  "InternalError",
  { type: "/problems/internal-error", status: 500, title: "The service failed" },
  { error: Schema.tag("internal_error"), message: Schema.String }
) {}

export class NotReady extends HttpApiError.Problem<NotReady>()(
  "NotReady",
  { type: "/problems/not-ready", status: 503, title: "This process cannot answer now" },
  {
    error: Schema.tag("not_ready"),
    message: Schema.String,
    reasons: Schema.Array(Reason),
    warnings: Schema.Array(Warning)
  }
) {}

export class Unavailable extends HttpApiError.Problem<Unavailable>()(
  "Unavailable",
  { type: "/problems/unavailable", status: 503, title: "Not available" },
  {
    error: Schema.tag("unavailable"),
    message: Schema.String,
    /** Seconds; the same as `Retry-After`. Absent where waiting does not help. */
    retry_after: Schema.optionalKey(Schema.Int)
  }
) {}
