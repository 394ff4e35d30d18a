/** `plumbline rollout`: restarts the processes of a cluster one after the other, each once the one before is ready again. */
import { execFile } from "node:child_process"
import { Console, Duration, Effect, Schedule, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { FetchHttpClient, HttpClient } from "effect/http"
import { NotPassed, UsageError } from "../cli/usage.ts"

/** How often to look whether a process is ready. */
const every = "500 millis"

class NotReady extends Schema.TaggedError<NotReady>()("NotReady", { message: Schema.String }) {}

/** Fails with what a process says while it is not ready, or does not answer. */
const requireReady = Effect.fnUntraced(function* (address: string) {
  const client = yield* HttpClient.HttpClient
  const { status, text } = yield* client.get(`http://${address}/readyz`).pipe(
    Effect.flatMap((answer) => Effect.map(answer.text, (text) => ({ status: answer.status, text }))),
    Effect.timeout("2 seconds"),
    Effect.mapError(() => new NotReady({ message: `${address} does not answer` }))
  )
  if (status !== 200) {
    return yield* new NotReady({ message: `${address} is not ready (${status}): ${text.slice(0, 500)}` })
  }
})

/** Runs the program that restarts a process; `{}` in its arguments is the name of the process. */
const restarted = Effect.fnUntraced(function* (command: ReadonlyArray<string>, name: string) {
  const [program = "", ...args] = command.map((word) => word.replaceAll("{}", name))
  yield* Effect.callback<void, NotReady>((resume) => {
    execFile(program, args, (error, _, err) =>
      resume(
        error === null
          ? Effect.void
          : Effect.fail(
              new NotReady({ message: `${[program, ...args].join(" ")}: ${err.trim() || error.message}` })
            )
      )
    )
  })
})

const processOf = Effect.fnUntraced(function* (text: string) {
  const [, name, address] = /^([\w.@-]+)=([\w.-]+:\d+|\[[\da-f:]+\]:\d+)$/.exec(text) ?? []
  if (name === undefined || address === undefined) {
    return yield* new UsageError({ message: `"${text}" is not a process (expected e.g. 1=127.0.0.1:8081)` })
  }
  return { name, address }
})

export const rollout = Command.make(
  "rollout",
  {
    processes: Argument.String("process").pipe(
      Argument.withDescription(
        "Each process, as <name>=<host>:<port> where it answers, such as 1=127.0.0.1:8081"
      ),
      Argument.variadic({ min: 1 })
    ),
    restart: Flag.String("restart").pipe(
      Flag.withDescription(
        "The command that restarts a process, with {} for its name; it is not run by a shell"
      ),
      Flag.withDefault("systemctl restart plumbline@{}")
    ),
    patience: Flag.Int("patience").pipe(
      Flag.withDescription("Seconds that a process may take until it is ready"),
      Flag.withDefault(300)
    )
  },
  Effect.fnUntraced(function* ({ patience, processes: named, restart }) {
    const processes = yield* Effect.forEach(named, processOf)
    const command = restart.split(" ").filter((word) => word !== "")
    yield* Effect.gen(function* () {
      for (const { address, name } of processes) {
        // Looked at each time: what was ready a minute ago may not be.
        yield* Effect.forEach(processes, ({ address }) => requireReady(address), { discard: true })
        yield* restarted(command, name)
        yield* requireReady(address).pipe(
          Effect.retry(Schedule.spaced(every).pipe(Schedule.upTo({ duration: Duration.seconds(patience) })))
        )
        yield* Console.log(`${name} is ready again`)
      }
    }).pipe(
      Effect.catchTag("NotReady", ({ message }) =>
        Effect.andThen(
          Console.error(`plumbline: ${message}; the processes after it were left as they are`),
          new NotPassed({ code: 1 })
        )
      )
    )
  }, Effect.provide(FetchHttpClient.layer))
).pipe(
  Command.withDescription(
    "Restart the processes of a cluster one after the other. Before each restart all must be ready, and after it the restarted one. Stops at the first that is not, with 1"
  ),
  Command.withShortDescription("Restart the processes of a cluster one after the other")
)
