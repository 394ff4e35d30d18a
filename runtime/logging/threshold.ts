/** The least level that is written. It may change while the service runs, so loggers look at it for each entry. */
import { Effect, Layer, Logger, LogLevel, Option, References } from "effect"
import { liveOf, Settings } from "../settings/Settings.ts"

const levels: Readonly<Record<"debug" | "info" | "warn" | "error", LogLevel.LogLevel>> = {
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error"
}

/** `LOG_LEVEL` of the moment, else what the command line says. */
export const threshold = Effect.gen(function* () {
  const settings = yield* Settings
  const usual = yield* References.MinimumLogLevel
  return (): LogLevel.LogLevel =>
    Option.match(liveOf(settings).logLevel, { onNone: () => usual, onSome: (level) => levels[level] })
})

/** Passes on what is at least of the level of the moment. */
export const atLeast =
  (level: () => LogLevel.LogLevel) =>
  (logger: Logger.Logger<unknown, unknown>): Logger.Logger<unknown, void> =>
    Logger.make((entry) => {
      if (LogLevel.isGreaterThanOrEqualTo(entry.logLevel, level())) logger.log(entry)
    })

/** Everything that a level could let through reaches the loggers. */
export const everyLevel = Layer.succeed(References.MinimumLogLevel, "Debug")
