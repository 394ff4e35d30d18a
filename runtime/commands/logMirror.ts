import { randomInt } from "node:crypto"
import { resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Console, Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { program } from "../../core/process/program.ts"
import { Malformed } from "../../core/proof/bytes.ts"
import { get } from "../../http/client/verifier/src/cli/get.ts"
import { mirror as copy } from "../../http/client/verifier/src/mirror.ts"
import { patient, SourceUnreachable, served } from "../../http/client/verifier/src/monitor/source.ts"
import { lookReportOf, printLookReport } from "../../http/client/verifier/src/monitor.ts"
import { asJson } from "../cli/arguments.ts"
import { NotPassed } from "../cli/usage.ts"

/** The copy stopped, and can be continued. */
class NotMirrored extends Schema.TaggedError<NotMirrored>()("NotMirrored", { message: Schema.String }) {}

/** `plumbline log mirror`. */
export const mirror = Command.make(
  "mirror",
  {
    from: Flag.String("from").pipe(Flag.withDescription("URL of the service, or of another static copy")),
    key: Flag.String("key").pipe(
      Flag.withDescription("A log key that the operator published elsewhere (kid, hex or verifier key)"),
      Flag.atLeast(0)
    ),
    json: asJson,
    folder: Argument.String("folder").pipe(
      Argument.withDescription("Folder of the copy; any static host can serve it")
    )
  },
  Effect.fnUntraced(function* ({ folder, from, json, key }) {
    const mirrored = yield* Effect.tryPromise({
      try: (signal) =>
        copy(
          served(patient(get, { wait: (ms) => sleep(ms, undefined, { signal }) }), from.replace(/\/+$/, "")),
          resolve(folder),
          {
            trust: { pins: key },
            now: Date.now,
            random: (n) => randomInt(n),
            say: () => undefined
          }
        ),
      catch: (error) => {
        if (error instanceof SourceUnreachable || error instanceof Malformed)
          return new NotMirrored({ message: error.message })
        throw error
      }
    }).pipe(
      Effect.catchTag("NotMirrored", ({ message }) =>
        Effect.andThen(
          Console.error(`could not copy: ${message}; run the command again to go on`),
          new NotPassed({ code: 2 })
        )
      )
    )
    const report = lookReportOf(mirrored)
    yield* Effect.sync(() =>
      printLookReport(report, { print: (line) => console.log(line), now: Date.now }, json)
    )
    if (report.exit !== 0) return yield* new NotPassed({ code: report.exit })
  })
).pipe(
  Command.withDescription(
    `Copy the log of a service as plain files, or what is new since the last copy. Everything is checked before it is written. \`${program} verify monitor --dir\` checks the copy, and a damaged log can be repaired from it`
  ),
  Command.withShortDescription("Copy a log as plain files")
)
