/** The log of the service on standard output. */
import { Effect, Layer, Logger, type LogLevel, Option, References } from "effect"
import { Settings } from "../service/Settings.ts"
import { logger } from "./lines.ts"
import { makeScrub } from "./scrub.ts"
import { secretsIn } from "./secrets.ts"

const levels: Readonly<Record<"debug" | "info" | "warn" | "error", LogLevel.LogLevel>> = {
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error"
}

export const logging = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const write = (line: string) => void process.stdout.write(line)
    return Layer.merge(
      Logger.layer([logger(settings.logFormat, makeScrub(secretsIn(process.env)), write)]),
      Option.match(settings.logLevel, {
        onNone: () => Layer.empty,
        onSome: (level) => Layer.succeed(References.MinimumLogLevel, levels[level])
      })
    )
  })
)
