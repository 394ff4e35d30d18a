/** Sends traces, logs and metrics to the OpenTelemetry collector in `OTLP_ENDPOINT`, if it is set. */
import { Effect, Layer, Logger, Option, Redacted } from "effect"
import { makeScrub } from "../logging/scrub.ts"
import { secretsIn } from "../logging/secrets.ts"
import { atLeast, threshold } from "../logging/threshold.ts"
import { Settings } from "../settings/Settings.ts"

/** What is sent is of the same level as what is written. */
const filtered = Layer.effect(
  Logger.CurrentLoggers,
  Effect.gen(function* () {
    const loggers = yield* Logger.CurrentLoggers
    return new Set([...loggers].map(atLeast(yield* threshold)))
  })
)

export const telemetry = Layer.unwrap(
  Effect.gen(function* () {
    const { otlpEndpoint, otlpHeaders, otlpSample } = yield* Settings
    if (Option.isNone(otlpEndpoint)) return Layer.empty
    const { layer } = yield* Effect.promise(() => import("../outside/otlp.ts"))
    return Layer.provideMerge(
      filtered,
      layer({
        endpoint: otlpEndpoint.value,
        headers: Redacted.value(otlpHeaders),
        sample: otlpSample,
        scrub: makeScrub(secretsIn(process.env))
      })
    )
  })
)
