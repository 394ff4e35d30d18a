/** Problems on the side of the service. */
import { Schema } from "effect"
import { Usd } from "../credits/money.ts"
import { Reason, Warning } from "../log/readiness.ts"
import { problem } from "./problem.ts"

/** The quotas of `RateLimit-Policy`. */
export const Quota = Schema.Literals(["burst", "minute", "day", "millis", "bytes"])
export type Quota = typeof Quota.Type

export class TooManyRequests extends problem<TooManyRequests>()(
  "TooManyRequests",
  "too-many-requests",
  {
    status: 429,
    title: "Too many requests",
    meaning:
      "Your network or API key has reached a limit of calls or of their cost. Registration and payment have others.",
    remedy:
      "Wait for `Retry-After` seconds. `quota` names the limit; `RateLimit` and `RateLimit-Policy` show all."
  },
  {
    /** Seconds, as in `Retry-After`. */
    retry_after: Schema.Int,
    quota: Schema.optionalKey(Quota),
    pay_instead: Schema.optionalKey(
      Schema.Struct({
        path: Schema.String.annotate({ description: "Where a page of the same list is sold by x402" }),
        price_usd: Usd
      }).annotate({
        description: "How to read now, outside the limits; present if this path is sold by the page"
      })
    )
  }
) {}

export class InternalError extends problem<InternalError>()("InternalError", "internal-error", {
  status: 500,
  title: "Internal error",
  meaning:
    "An unexpected error occurred and was logged. If a purchase was charged, its data is safe: resend the request with " +
    "the same `Idempotency-Key`, or the same x402 payment, to get the response. It is never charged twice.",
  remedy:
    "Try again. Check /v1/credits/purchases before you repeat a purchase that had no `Idempotency-Key`. If the error " +
    "persists, send the operator its `request_id`.",
  accountHint: "Call check_balance to see whether anything was charged."
}) {}

export class NotReady extends problem<NotReady>()(
  "NotReady",
  "not-ready",
  {
    status: 503,
    title: "Not ready",
    meaning:
      "This process should not receive requests: it lags behind the other processes of the service, its clock is wrong, or it " +
      "lacks what only it needs. With `for=writes`, also: the database does not respond.",
    remedy:
      "`reasons` says which. A load balancer should route around this process until `/readyz` returns 200 again."
  },
  {
    reasons: Schema.Array(Reason),
    warnings: Schema.Array(Warning)
  }
) {}

export class Unavailable extends problem<Unavailable>()(
  "Unavailable",
  "unavailable",
  {
    status: 503,
    title: "Temporarily unavailable",
    meaning:
      "The feature is not configured on this service, or its database does not respond. If a purchase was charged, its data " +
      "is safe: resend the request with the same `Idempotency-Key`, or the same x402 payment, to get the response. It is " +
      "never charged twice.",
    remedy:
      "`message` says what is missing. If there is a `Retry-After` header, repeat the request after that time. Check " +
      "/v1/credits/purchases before you repeat a purchase that had no `Idempotency-Key`.",
    accountHint:
      "Call check_balance to see whether anything was charged. Retry with the same idempotency_key: it never charges twice."
  },
  {
    /** Seconds, as in `Retry-After`. Absent when waiting does not help. */
    retry_after: Schema.optionalKey(Schema.Int)
  }
) {}
