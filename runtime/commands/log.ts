import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { repair as repairFrom } from "../../core/log/repair.ts"
import { program } from "../../core/process/program.ts"
import { hasTable } from "../../core/sql/hasTable.ts"
import { storedFact } from "../../core/sql/keyValue.ts"
import { operate, operateOnEngine } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { UsageError } from "../cli/usage.ts"
import { Facts } from "../database/facts.ts"
import { mirrorAt } from "../outside/mirror.ts"
import { keyFilesOf } from "../service/keyFiles.ts"
import { replayClock } from "../service/operating.ts"
import { restart as restartNow } from "../service/restart.ts"
import { Settings } from "../settings/Settings.ts"
import { check } from "./logCheck.ts"
import { listEntry } from "./logListEntry.ts"
import { mirror } from "./logMirror.ts"
import { publish } from "./logPublish.ts"

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

const restart = Command.make(
  "restart",
  {
    yes: Flag.Boolean("yes").pipe(
      Flag.withDescription("Do it. Without this, nothing is changed"),
      Flag.withDefault(false)
    )
  },
  ({ yes }) =>
    operateOnEngine(
      Effect.gen(function* () {
        if (!yes) {
          return yield* new UsageError({
            message: `this permanently ends the log of the database and begins another one; stop every process, make a backup (${program} backup <folder> --keys), then add --yes`
          })
        }
        const files = keyFilesOf(yield* Settings)
        const simulated = (yield* hasTable("fact")) && (yield* storedFact("mode")) === "replay"
        const { byEarlierKey, earlier, created, restart } = yield* Effect.provide(
          restartNow(files),
          simulated ? Layer.provide(replayClock, Facts.layer) : Layer.empty
        )
        yield* Console.log(
          [
            `the log ${restart.origin} begins in the place of ${earlier.origin}, which ended with ${earlier.size} entries${earlier.lastDay === null ? "" : ` on ${earlier.lastDay}`}`,
            `its first entry commits to that head (root ${earlier.root})${byEarlierKey ? " and is signed by its key too" : ""}`,
            `${created ? "made" : "used"} the log's key file ${files.log.file} (mode 600; keep a safe copy, and copy it to every process)`,
            "The rows of the earlier log are kept in the database, in the table earlier_row. Values, accounts and balances are as they were.",
            "Publish the new verifier key where you published the old one, and give it to your witnesses:",
            `  ${restart.key}`,
            `Then: ${program} serve`
          ].join("\n")
        )
      }).pipe(Effect.provide(Settings.layer)),
      ["log", "restart", ...(yes ? ["--yes"] : [])]
    )
).pipe(
  Command.withDescription(
    "Begin a new log in the place of one whose format this version no longer reads. Its first entry commits to the last head of the old one, whose rows are kept. Values, accounts and balances stay; days of the old log are served without a proof"
  ),
  Command.withShortDescription("Begin a new log where an old one is no longer read")
)

/** `plumbline log`: the log as a whole. */
export const log = Command.make("log").pipe(
  Command.withDescription("Check, mirror, publish, list, repair and restart the log"),
  Command.withSubcommands([check, listEntry, mirror, publish, repair, restart])
)
