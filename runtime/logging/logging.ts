/** The log of the service on standard output: one line for each entry, without secrets. */
import { Effect, Layer, Logger } from "effect"
import { callbackFailed } from "../../core/process/guarded.ts"
import { Settings } from "../settings/Settings.ts"
import { logger } from "./lines.ts"
import { makeScrub } from "./scrub.ts"
import { secretsIn } from "./secrets.ts"
import { atLeast, everyLevel, threshold } from "./threshold.ts"

/** Node prints its warnings in lines of its own. */
const warnings = Layer.effectDiscard(
  Effect.gen(function* () {
    const log = Effect.runSyncWith(yield* Effect.context<never>())
    process.removeAllListeners("warning")
    // biome-ignore lint/plugin/callback: `guarded` would warn of a warning
    process.on("warning", (warning) => {
      try {
        log(logProcessWarning(warning))
      } catch {
        // Nothing is left that could be told.
      }
    })
  })
)

/** What a callback threw is a fault of ours, and is logged with its stack. */
const logProcessWarning = ({ detail, message, name }: Error & { readonly detail?: unknown }) =>
  name === callbackFailed
    ? Effect.logError(message, { stack: String(detail ?? "") })
    : Effect.logWarning(`Node warns: ${message}`, { warning: name })

const lines = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const write = (line: string) => void process.stdout.write(line)
    const lines = logger(settings.logFormat, makeScrub(secretsIn(process.env)), write)
    return Layer.merge(Logger.layer([atLeast(yield* threshold)(lines)]), everyLevel)
  })
)

/** Everything that the service says of its work, as lines of one form. */
export const logging = Layer.provideMerge(warnings, lines)
