/** Problems with the request itself. */
import { Schema } from "effect"
import { NotAttestedReason, RecordedAbsence } from "../log/attest.ts"
import { problem } from "./problem.ts"

/** The invalid parameter and what is valid: a list of values where it is short, otherwise a description. */
const parameter = {
  field: Schema.optionalKey(Schema.String),
  valid_values: Schema.optionalKey(Schema.Array(Schema.String)),
  valid: Schema.optionalKey(Schema.String)
}

/** A parameter is malformed or out of range. */
export class BadParameter extends problem<BadParameter>()(
  "BadParameter",
  "bad-parameter",
  {
    status: 400,
    title: "Invalid parameter",
    meaning: "A query, path or body parameter is unknown, missing, repeated or invalid. Nothing was done.",
    remedy: "`field` names the parameter; `valid_values` or `valid` says what it accepts."
  },
  parameter
) {}

export class BadRequest extends problem<BadRequest>()(
  "BadRequest",
  "bad-request",
  {
    status: 400,
    title: "Malformed request",
    meaning:
      "The URL or the body is malformed (for example, percent-encoding that is not UTF-8), or `Host` is missing or sent " +
      "twice. Status 408 means that the request did not arrive in time; 431 means that its headers are too large.",
    remedy: "Encode the URL and the body as the documentation shows, then send the request again."
  },
  {
    field: Schema.optionalKey(Schema.String)
  }
) {}

/** No network or sector has this symbol (in any case) or this name. */
export class UnknownSymbol extends problem<UnknownSymbol>()(
  "UnknownSymbol",
  "unknown-symbol",
  {
    status: 404,
    title: "Unknown network",
    meaning:
      "No network has this symbol or name. Case does not matter. Subnets are `SN0` to `SN128`, without leading zeros.",
    remedy:
      "`did_you_mean` lists similar symbols, and /v1/networks lists them all. A known network without measurements returns 200 with no data.",
    hint: "find_networks searches networks by any word."
  },
  {
    ...parameter,
    /** Similar symbols, closest first; absent when there are none. */
    did_you_mean: Schema.optionalKey(Schema.Array(Schema.String))
  }
) {
  static readonly of = (field: string, symbol: string, near: ReadonlyArray<string> = []) =>
    new UnknownSymbol({
      field,
      message:
        `${field}: unknown symbol ${JSON.stringify(symbol.slice(0, 40))}. ` +
        (symbol.includes(",")
          ? "This address takes one network; /v1/history and POST /v1/query take several. "
          : near.length === 0
            ? ""
            : `Did you mean ${near.join(", ")}? `) +
        "Subnets are SN0 to SN128; /v1/networks lists all symbols.",
      valid: "a symbol of /v1/networks; subnets are SN0 to SN128",
      ...(near.length === 0 ? {} : { did_you_mean: near })
    })
}

export class NotFound extends problem<NotFound>()("NotFound", "not-found", {
  status: 404,
  title: "Not found",
  meaning: "Nothing exists at this URL. Paths are case-sensitive, and a trailing slash matters.",
  remedy: "/docs lists every path."
}) {}

export class RangeNotSatisfiable extends problem<RangeNotSatisfiable>()(
  "RangeNotSatisfiable",
  "range-not-satisfiable",
  {
    status: 416,
    title: "The range is not in the file",
    meaning: "The `Range` header requests bytes after the end of the file, or for none.",
    remedy:
      "`size` is the size of the file in bytes; the last byte is the one before. Without `Range` you get the whole file."
  },
  {
    /** Size of the file in bytes. */
    size: Schema.Int
  }
) {}

/** No proof of a value (or, with format=absence, of an absence) exists for that day. */
export class NotAttested extends problem<NotAttested>()(
  "NotAttested",
  "not-attested",
  {
    status: 404,
    title: "Not attested",
    meaning:
      "The symbol and the metric exist, but this day has no published value of theirs, or none of the requested source. `reason` says which case it " +
      "is: `unknown_series`, `not_measured`, `not_closed`, `not_cosigned`, `absent` or `earlier_log`; with `format=absence`, also `measured`; with `format=chain-proof`, `unproved`.",
    remedy:
      "`unknown_series`: see `sources` and /v1/network/{symbol}. `not_closed`: retry after `closes_at`. `not_cosigned`: retry in a few minutes. `absent`: " +
      "`absence.proof_url` proves that there was no reading. `earlier_log`: the day is before this log, and its value is served without a proof. /v1/history shows the days that have a value.",
    hint: "get_metric_history shows which days have a value. Each day is published at 08:00 UTC on the next day."
  },
  {
    reason: NotAttestedReason,
    /** When the batch that publishes the value is due, ISO 8601 UTC. */
    closes_at: Schema.optionalKey(Schema.String),
    absence: Schema.optionalKey(RecordedAbsence),
    /** Feeds that do report this metric of this network. */
    sources: Schema.optionalKey(Schema.Array(Schema.String))
  }
) {}

/** A working call for the path, returned for example to a GET on a POST-only path. */
export const Hint = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  content_type: Schema.optionalKey(Schema.String),
  /** JSON Schema of the body. */
  body: Schema.optionalKey(Schema.Unknown),
  /** A complete command line. */
  sample: Schema.String
})
export interface Hint extends Schema.Schema.Type<typeof Hint> {}

export class MethodNotAllowed extends problem<MethodNotAllowed>()(
  "MethodNotAllowed",
  "method-not-allowed",
  {
    status: 405,
    title: "Method not allowed",
    meaning: "The path exists but does not support this method.",
    remedy:
      "The `Allow` header and `valid_values` list the allowed methods; `hint` shows a working call and the shape of its body."
  },
  {
    valid_values: Schema.Array(Schema.String),
    hint: Schema.optionalKey(Hint)
  }
) {}

export class BodyTooLarge extends problem<BodyTooLarge>()("BodyTooLarge", "body-too-large", {
  status: 413,
  title: "The body is too large",
  meaning: "Request bodies are limited to 64 KiB, those of /v1/asof to 2 MiB.",
  remedy: "Send a smaller body."
}) {}

export class AddressTooLong extends problem<AddressTooLong>()("AddressTooLong", "address-too-long", {
  status: 414,
  title: "The URL is too long",
  meaning: "Path and query together are limited to 2,048 characters.",
  remedy: "No valid call needs more; check the parameters."
}) {}

export class UnsupportedMediaType extends problem<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  "unsupported-media-type",
  {
    status: 415,
    title: "Unsupported media type",
    meaning: "The path does not accept this media type, or the body is compressed.",
    remedy: "Send what `valid_values` lists: usually `application/json`, uncompressed."
  },
  {
    valid_values: Schema.optionalKey(Schema.Array(Schema.String))
  }
) {}
