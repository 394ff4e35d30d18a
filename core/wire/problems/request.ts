/** What is wrong with a request as it was sent. */
import { Schema } from "effect"
import { problem } from "./problem.ts"

/** The parameter at fault, and what would have been valid: a list where there are few, else words. */
const parameter = {
  field: Schema.optionalKey(Schema.String),
  valid_values: Schema.optionalKey(Schema.Array(Schema.String)),
  valid: Schema.optionalKey(Schema.String)
}

/** A parameter that cannot be understood, or that is outside of what is valid. */
export class BadParameter extends problem<BadParameter>()(
  "BadParameter",
  "bad-parameter",
  {
    status: 400,
    title: "A parameter is not valid",
    meaning:
      "A parameter of the query, the path or the body is unknown, given twice, missing, or outside of what is valid. Nothing was done.",
    remedy: "`field` names it; `valid_values` or `valid` says what would have been accepted."
  },
  parameter
) {}

export class BadRequest extends problem<BadRequest>()(
  "BadRequest",
  "bad-request",
  {
    status: 400,
    title: "The request cannot be read",
    meaning:
      "The address or the body is not well-formed, for example a percent sequence that is not UTF-8, or `Host` is missing " +
      "or sent twice. With status 408 the request did not arrive in time, with 431 its headers are too large.",
    remedy: "Encode the address and the body as the documentation shows, and send them again."
  },
  {
    field: Schema.optionalKey(Schema.String)
  }
) {}

/** Nothing of the catalog and no sector has this symbol, in whatever case, or this name. */
export class UnknownSymbol extends problem<UnknownSymbol>()(
  "UnknownSymbol",
  "unknown-symbol",
  {
    status: 404,
    title: "No such network",
    meaning:
      "No network has this symbol or name, in whatever case. Subnets are `SN0` to `SN128`, without leading zeros.",
    remedy:
      "`did_you_mean` lists the symbols that come near. Look the symbol up at /v1/networks. A known network that is not measured answers 200 with no data.",
    hint: "find_networks finds networks by any word."
  },
  {
    ...parameter,
    /** Symbols that come near, the nearest first; absent where none does. */
    did_you_mean: Schema.optionalKey(Schema.Array(Schema.String))
  }
) {
  static readonly of = (field: string, symbol: string, near: ReadonlyArray<string> = []) =>
    new UnknownSymbol({
      field,
      message:
        `${field}: unknown symbol ${JSON.stringify(symbol.slice(0, 40))}. ` +
        (near.length === 0 ? "" : `Did you mean ${near.join(", ")}? `) +
        "Subnets are SN0 to SN128; /v1/networks lists all symbols.",
      valid: "a symbol of /v1/networks; subnets are SN0 to SN128",
      ...(near.length === 0 ? {} : { did_you_mean: near })
    })
}

export class NotFound extends problem<NotFound>()("NotFound", "not-found", {
  status: 404,
  title: "Nothing here",
  meaning: "The service has nothing at this address. Addresses are exact in case and in slashes.",
  remedy: "The documentation at /docs lists every address."
}) {}

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

export class MethodNotAllowed extends problem<MethodNotAllowed>()(
  "MethodNotAllowed",
  "method-not-allowed",
  {
    status: 405,
    title: "This path has other methods",
    meaning: "The path exists, but not with this method.",
    remedy:
      "The header `Allow` and `valid_values` name its methods; `hint` shows a call that works, with the shape of the body."
  },
  {
    valid_values: Schema.Array(Schema.String),
    hint: Schema.optionalKey(Hint)
  }
) {}

export class BodyTooLarge extends problem<BodyTooLarge>()("BodyTooLarge", "body-too-large", {
  status: 413,
  title: "The body is too large",
  meaning: "Bodies have at most 64 KiB.",
  remedy: "Send less."
}) {}

export class AddressTooLong extends problem<AddressTooLong>()("AddressTooLong", "address-too-long", {
  status: 414,
  title: "The address is too long",
  meaning: "An address, with its query, has at most 2,048 characters.",
  remedy: "No valid call is longer; check what was put into it."
}) {}

export class UnsupportedMediaType extends problem<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  "unsupported-media-type",
  {
    status: 415,
    title: "The body has another media type",
    meaning: "The path takes another media type, or no content coding.",
    remedy: "`valid_values` names what it takes, mostly `application/json`."
  },
  {
    valid_values: Schema.optionalKey(Schema.Array(Schema.String))
  }
) {}
