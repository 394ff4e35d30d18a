/** Limits that refuse nobody and say nothing. */
import { Effect, Layer } from "effect"
import { RateLimits, type Verdict } from "../../http/delivery/RateLimits.ts"

const allowed: Verdict = { allowed: true, headers: [] }

export const unlimited = Layer.succeed(
  RateLimits,
  RateLimits.of({ keyless: () => allowed, keyed: () => Effect.succeed(allowed), knows: () => false })
)
