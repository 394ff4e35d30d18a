import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { repair as repairFrom } from "../../core/log/repair.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { mirrorAt } from "../outside/mirror.ts"
import { check } from "./logCheck.ts"
import { mirror } from "./logMirror.ts"

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
        const done = yield* repairFrom(mirrorAt(from))
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
  Command.withDescription("Check, mirror and repair the log"),
  Command.withSubcommands([check, mirror, repair])
)
