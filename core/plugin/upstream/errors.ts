/** Why an upstream gave nothing that can be read. */
import { Schema } from "effect"
import { isRateLimit } from "../statedErrors.ts"

const about = { request: Schema.String, detail: Schema.String }

/** The end of the message for a request that a recording does not have. */
export const notRecorded = "not in the recording"

/** No answer: time-out, refused connection, DNS, a host that is not allowed, an open breaker. */
export class UpstreamUnreachable extends Schema.TaggedError<UpstreamUnreachable>()("UpstreamUnreachable", {
  ...about,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return `${this.request}: ${this.detail}`
  }
}

/** A refusal: an HTTP status of 400 or more, or an error object in the body. */
export class UpstreamRefused extends Schema.TaggedError<UpstreamRefused>()("UpstreamRefused", {
  ...about,
  status: Schema.Int,
  /** The code of a JSON-RPC error. */
  code: Schema.optionalKey(Schema.Finite),
  /** The first 300 characters of the answer, because some refusals carry information. */
  said: Schema.optionalKey(Schema.String)
}) {
  /** Whether the upstream limits how often it may be asked: by status, by a code, or in words. */
  get isLimit(): boolean {
    return isRateLimit(this)
  }
  override get message() {
    return `${this.request}: ${this.isLimit ? "rate limit: " : ""}${this.detail}`
  }
}

/** An answer in another form than the collector expects; `path` is the place in the payload. */
export class UpstreamChanged extends Schema.TaggedError<UpstreamChanged>()("UpstreamChanged", {
  ...about,
  path: Schema.String
}) {
  override get message() {
    return `${this.request}: ${this.path === "" ? "" : `at ${this.path}: `}${this.detail}`
  }
}

export type UpstreamError = UpstreamUnreachable | UpstreamRefused | UpstreamChanged
