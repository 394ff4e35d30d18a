import { Console, Effect, Runtime, Schema } from "effect"
import { CliError } from "effect/cli"

/** A command that cannot run as given. The message says what to change. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {}

/** A check that did not pass. Its findings are already printed; this error only carries the exit code. */
export class NotPassed extends Schema.TaggedError<NotPassed>()("NotPassed", {
  /** The exit code. Default: 1. */
  code: Schema.optionalKey(Schema.Int)
}) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = this.code ?? 1
}

/**
 * Prints an expected failure as one line on standard error and exits with a non-zero code. The CLI library has already
 * printed its own errors (wrong arguments). Defects pass through with their stack: they are bugs of ours.
 */
export const inOneLine = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  command: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.tapError(command, (error) =>
    error instanceof NotPassed || CliError.isCliError(error)
      ? Effect.void
      : Effect.as(Console.error(`plumbline: ${error.message}`), Object.assign(error, reported))
  )

const reported = { [Runtime.errorReported]: false }
