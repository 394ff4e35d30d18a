/**
 * Operators' commands that need the database. On the embedded engine a running service carries them out, because the
 * directory has one owner; without one, and on Postgres, the command opens the database itself.
 */
import { Console, Context, Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import { Feeds } from "../core/data/Feeds.ts"
import packageJson from "../package.json" with { type: "json" }
import { NotPassed } from "./commands/usage.ts"
import * as Database from "./database/Database.ts"
import * as Owner from "./owner.ts"
import * as Plugins from "./plugins.ts"
import { type Operating, operating } from "./service.ts"
import { Settings } from "./settings.ts"

/** The services of the process that carries a command out, when it is a running service. */
const Inside = Context.Reference<Option.Option<Context.Context<Operating>>>("runtime/operator/Inside", {
  defaultValue: () => Option.none()
})

const feeds = Layer.effect(
  Feeds,
  Effect.map(Plugins.all(), (plugins) =>
    Feeds.of({ manifests: plugins.map(({ manifest }) => manifest), states: Effect.succeed(new Map()) })
  )
)

/** All services of an operator, opened for one command. */
const opened = Layer.unwrap(Effect.map(Database.heldMode, operating)).pipe(
  Layer.provideMerge(feeds),
  Layer.provideMerge(Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings))))
)

/** Carries an effect out where the database is. */
export const operate = <A, E>(work: Effect.Effect<A, E, Operating>) =>
  Effect.gen(function* () {
    const inside = yield* Inside
    if (Option.isSome(inside)) return yield* Effect.provide(work, inside.value)
    const settings = yield* Settings
    if (Option.isNone(settings.databaseUrl)) {
      const exit = yield* Owner.forward(settings.dataDir, process.argv.slice(2))
      if (exit !== undefined) return exit === 0 ? undefined : yield* new NotPassed({ code: exit })
    }
    return yield* Effect.provide(work, opened)
  }).pipe(Effect.provide(Settings.layer))

/** Lets a running service carry out the commands that come through its socket. */
export const answering = Layer.effectDiscard(
  Effect.gen(function* () {
    const { serve } = yield* Database.Commands
    if (Option.isNone(serve)) return
    // The commands import this file: they are looked up when the first one comes.
    const root = Effect.promise(async () => (await import("./cli.ts")).plumbline)
    const context = yield* Effect.context<Operating | Command.Environment>()
    const run = Effect.runPromiseWith(context)
    serve.value((argv, print) =>
      run(
        Effect.flatMap(root, (command) =>
          Command.runWith(command, { version: packageJson.version })(argv)
        ).pipe(
          Effect.as(0),
          Effect.catch((error) => {
            if (error instanceof NotPassed) return Effect.succeed(error.code ?? 1)
            print({ err: `plumbline: ${error.message}\n` })
            return Effect.succeed(1)
          }),
          Effect.catchDefect(() => {
            print({ err: "plumbline: the running service failed at this command; its log says why\n" })
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
  log: (...words: ReadonlyArray<unknown>) => print({ out: `${words.join(" ")}\n` }),
  error: (...words: ReadonlyArray<unknown>) => print({ err: `${words.join(" ")}\n` })
})
