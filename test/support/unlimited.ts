/** Limits that refuse nobody and say nothing. */
import { Effect, Layer } from "effect"
import { Limits, type Verdict } from "../../http/Limits.ts"

const allowed: Verdict = { allowed: true, headers: [] }

export const unlimited = Layer.succeed(
  Limits,
  Limits.of({ keyless: () => allowed, keyed: () => Effect.succeed(allowed) })
)
