import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { storedFact } from "../../core/sql/keyValue.ts"
import { restoreKeys } from "../backup/keys.ts"
import { BackupError } from "../backup/manifest.ts"
import { restore as read } from "../backup/restore.ts"
import { verify } from "../backup/verify.ts"
import { NotPassed } from "../cli/usage.ts"
import * as Database from "../database/Database.ts"
import { headDirOf, headFiles } from "../service/headFiles.ts"
import { keyFilesOf } from "../service/keyFiles.ts"
import { Settings } from "../settings/Settings.ts"
import { isBucket, placeAt, wholeName } from "./backupPlace.ts"
import { tell } from "./logCheck.ts"

/** `plumbline restore`. */
export const restore = Command.make(
  "restore",
  {
    folder: Argument.String("folder").pipe(Argument.withDescription("Folder of the backup, or the bucket")),
    keys: Flag.Boolean("keys").pipe(
      Flag.withDescription(
        "Also restore the private files of the backup, where the settings name none that exists"
      ),
      Flag.withDefault(false)
    ),
    keysOnly: Flag.Boolean("keys-only").pipe(
      Flag.withDescription(
        "Restore only the private files, for a database that is there: keys or a secret that are lost or damaged"
      ),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(
    function* ({ folder: path, keys, keysOnly }) {
      const settings = yield* Settings
      const folder = wholeName(path)
      if ((keys || keysOnly) && isBucket(path))
        return yield* new BackupError({
          message: "a bucket holds no private files; restore them from where you keep them"
        })
      if (keysOnly) return yield* privateFiles(folder, settings)
      const work = Effect.gen(function* () {
        const logKey = keyFilesOf(settings).log.file
        // The heads of a demo are in its own folder.
        const memory = Effect.map(storedFact("mode"), (mode) =>
          headFiles(headDirOf(settings, logKey, mode === "replay"))
        )
        const { bodies, files, manifest } = yield* read(yield* placeAt(folder), { memory, say: Console.log })
        const checked = yield* verify(yield* memory)
        yield* Console.log(
          `restored the backup of ${manifest.made_at}: ${manifest.tables.length} tables with the rows that were saved, and a ledger that balances\nbodies: ${bodies.copied} copied, ${bodies.present} were there\narchive: ${files} files`
        )
        yield* tell(checked, false).pipe(
          Effect.andThen(bodies.damaged.length === 0 ? Effect.void : damagedBodies(bodies.damaged)),
          Effect.andThen(checked.halted === undefined ? Effect.void : wouldFork(checked.halted))
        )
      })
      yield* Effect.provide(work, Database.engine(settings))
      if (!keys)
        return yield* Console.log("private files are restored with --keys, if they are in the backup")
      yield* privateFiles(folder, settings)
    },
    Effect.scoped,
    Effect.provide(Settings.layer)
  )
).pipe(
  Command.withDescription(
    "Restore a backup into the empty database that the settings name, and check it. Run it again if it was interrupted. Exits with 1 if something in it is damaged, or if the log goes on from an older state than the one that was signed"
  ),
  Command.withShortDescription("Restore a backup into an empty database")
)

const privateFiles = Effect.fnUntraced(function* (folder: string, settings: Settings["Service"]) {
  const { left, created } = yield* restoreKeys(folder, settings)
  if (left.length + created.length === 0) {
    return yield* new BackupError({
      message: `${folder} holds no private files; name the folder of a backup that was made with --keys`
    })
  }
  yield* Console.log(
    [
      ...created.map((file) => `restored ${file} (mode 600)`),
      ...left.map((file) => `left as it was: ${file} (move it away to restore it)`)
    ].join("\n")
  )
})

const damagedBodies = (damaged: ReadonlyArray<string>) =>
  Effect.andThen(
    Console.error(
      `${damaged.length} bodies in the backup do not have their hashes and were left out: ${damaged.slice(0, 3).join(", ")}`
    ),
    new NotPassed({ code: 1 })
  )

/** The rows are in place, since a repair needs them. */
const wouldFork = (why: string) =>
  Effect.andThen(
    Console.error(`the service would sign nothing on this database: ${why}`),
    new NotPassed({ code: 1 })
  )
