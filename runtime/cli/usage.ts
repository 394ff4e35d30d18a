import { Console, Effect, Runtime, Schema } from "effect"
import { CliError } from "effect/cli"

/** A command that cannot be carried out as given; the message says what to give instead. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {}

/** A check that did not pass: what was found is printed already, so that only the exit code is left to say. */
export class NotPassed extends Schema.TaggedError<NotPassed>()("NotPassed", {
  /** The exit code; 1 where nothing finer is to be said. */
  code: Schema.optionalKey(Schema.Int)
}) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = this.code ?? 1
}

/**
 * Says an expected failure of a command in one line on standard error; the exit code is not 0. The library has said
 * its own (wrong arguments) already. A defect passes by, with its stack: it is ours to mend.
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
