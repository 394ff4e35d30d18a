import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { CannotRepair, type Mirror } from "../../core/log/mirror.ts"
import { repair as repairFrom } from "../../core/log/repair.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { ask } from "../outside/bounded.ts"
import { onDisk } from "../outside/disk.ts"
import { exists } from "../service/keyFiles.ts"

/** Most bytes of one file: a day's leaves. */
const largest = 64 * 2 ** 20

const overHttp =
  (base: string): Mirror =>
  (path) =>
    ask({
      method: "GET",
      url: `${base.replace(/\/+$/, "")}/v1/log/${path}`,
      most: largest,
      timeout: "1 minute"
    }).pipe(
      Effect.mapError(({ message }) => new CannotRepair({ message: `${base}: ${message}` })),
      Effect.flatMap(({ body, status }) =>
        status === 200
          ? Effect.succeed(body)
          : status === 404
            ? Effect.succeed(undefined)
            : new CannotRepair({ message: `${base} answered ${status} for /v1/log/${path}` })
      )
    )

const inFolder = (folder: string): Mirror =>
  Effect.fnUntraced(function* (path) {
    const file = join(folder, "v1/log", path)
    if (!(yield* exists(file))) return undefined
    return yield* onDisk(() => readFile(file)).pipe(
      Effect.mapError(({ message }) => new CannotRepair({ message: `${file}: ${message}` }))
    )
  })

const repair = Command.make(
  "repair",
  {
    from: Flag.String("from").pipe(
      Flag.withDescription("The mirror: URL of a service, or an absolute path of a folder that holds v1/log")
    ),
    json: asJson
  },
  ({ from, json }) =>
    operate(
      Effect.gen(function* () {
        const done = yield* repairFrom(/^https?:\/\//.test(from) ? overHttp(from) : inFolder(from))
        yield* Console.log(
          json
            ? JSON.stringify(done)
            : done.entries === 0
              ? `the log is whole: ${done.size} entries, as in the newest head that is known`
              : `imported ${done.entries} entries with ${done.documents} documents and ${done.batches} batches; the log has ${done.size} entries again`
        )
      })
    )
).pipe(
  Command.withDescription(
    "Import log entries that the database lost or altered, if a mirror has those of the newest head that was signed; changes nothing otherwise. Readings, incidents and accounts are in no mirror: restore them from a backup first"
  ),
  Command.withShortDescription("Repair the log from a mirror")
)

/** `plumbline log`: the log as a whole. */
export const log = Command.make("log").pipe(
  Command.withDescription("Repair the log"),
  Command.withSubcommands([repair])
)
