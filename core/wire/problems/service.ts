/** What the service itself cannot do now. */
import { Schema } from "effect"
import { Reason, Warning } from "../log/readiness.ts"
import { problem } from "./problem.ts"

export class TooManyRequests extends problem<TooManyRequests>()(
  "TooManyRequests",
  "too-many-requests",
  {
    status: 429,
    title: "The limit is used up",
    meaning:
      "The originating network, or the key, has used up its limit for now. Registering and paying have limits of their own.",
    remedy:
      "Wait as long as `Retry-After` says. The headers `RateLimit` and `RateLimit-Policy` show the limits."
  },
  {
    /** Seconds; the same as `Retry-After`. */
    retry_after: Schema.Int
  }
) {}

export class InternalError extends problem<InternalError>()("InternalError", "internal-error", {
  status: 500,
  title: "The service failed",
  meaning:
    "Something happened that nobody foresaw, and it has been logged. What was charged is delivered: the same " +
    "`Idempotency-Key`, or the same payment per request, gets an answer that was lost and is never charged twice.",
  remedy:
    "Try again; look at /v1/credits/purchases before you send a purchase again that had no `Idempotency-Key`. If it " +
    "stays, tell the operator the time and the address.",
  accountHint: "Nothing was charged unless check_balance says so."
}) {}

export class NotReady extends problem<NotReady>()(
  "NotReady",
  "not-ready",
  {
    status: 503,
    title: "This process cannot answer now",
    meaning:
      "`/readyz` found that this process should get no requests: its database does not answer, or it has not read what " +
      "other processes of the service wrote.",
    remedy:
      "`reasons` says which. A load balancer sends requests to another process until `/readyz` answers 200 again."
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
    title: "Not available",
    meaning:
      "What was asked for is not set up on this service, or its database does not answer at the moment. What was " +
      "charged is delivered: the same `Idempotency-Key`, or the same payment per request, gets an answer that was lost and " +
      "is never charged twice.",
    remedy:
      "`message` says what is missing. With `Retry-After` send the same request again after that time; look at " +
      "/v1/credits/purchases before you send a purchase again that had no `Idempotency-Key`.",
    accountHint:
      "Nothing was charged unless check_balance says so; the same idempotency_key never charges twice."
  },
  {
    /** Seconds; the same as `Retry-After`. Absent where waiting does not help. */
    retry_after: Schema.optionalKey(Schema.Int)
  }
) {}
