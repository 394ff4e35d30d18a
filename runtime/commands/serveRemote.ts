/** Executes operator commands inside the running service. They arrive through the socket in its directory. */
import { Console, Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { Inside } from "../admin/run.ts"
import { NotPassed } from "../cli/usage.ts"
import * as Database from "../database/Database.ts"
import type { Operating } from "../service/operating.ts"
import { operators } from "./remote.ts"
import { verify } from "./verify.ts"

/** `verify` is here for the subcommands that need the data. */
const root = Command.make("plumbline").pipe(Command.withSubcommands([...operators, verify]))

/** Executes the commands that arrive through the socket. */
export const serveAdmin = Layer.effectDiscard(
  Effect.gen(function* () {
    const { serve } = yield* Database.Commands
    if (Option.isNone(serve)) return
    const context = yield* Effect.context<Operating | Command.Environment>()
    const run = Effect.runPromiseWith(context)
    serve.value((argv, print) =>
      run(
        Command.runWith(root, { version: packageJson.version })(argv).pipe(
          Effect.as(0),
          Effect.catch((error) => {
            if (error instanceof NotPassed) return Effect.succeed(error.code ?? 1)
            print({ err: `plumbline: ${error.message}\n` })
            return Effect.succeed(1)
          }),
          Effect.catchDefect(() => {
            print({ err: "plumbline: the command failed in the running service; see its log\n" })
            return Effect.succeed(1)
          }),
          Effect.provideService(Inside, Option.some(context)),
          Effect.provideService(Console.Console, consoleTo(print))
        )
      )
    )
  })
)

const consoleTo = (print: (line: { out: string } | { err: string }) => void): Console.Console => ({
  ...console,
  log: (...values: ReadonlyArray<unknown>) => print({ out: `${values.join(" ")}\n` }),
  error: (...values: ReadonlyArray<unknown>) => print({ err: `${values.join(" ")}\n` })
})
