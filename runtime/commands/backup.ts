import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { HeadMemory } from "../../core/log/HeadMemory.ts"
import { storedFact } from "../../core/sql/keyValue.ts"
import { Inside, operateOnEngine } from "../admin/run.ts"
import { type BackedUp, backup as write } from "../backup/backup.ts"
import { saveKeys } from "../backup/keys.ts"
import { NotPassed, UsageError } from "../cli/usage.ts"
import { noteBackup } from "../metrics/lastBackup.ts"
import { headDirOf, headFiles } from "../service/headFiles.ts"
import { keyFilesOf } from "../service/keyFiles.ts"
import { Settings } from "../settings/Settings.ts"
import { isBucket, placeAt, wholeName } from "./backupPlace.ts"

const summary = ({ bodies, files, heads, manifest }: BackedUp): string =>
  [
    manifest.log === null
      ? "the log is still empty"
      : `the log has ${manifest.log.size} entries, and they match its signed head`,
    bodies === undefined
      ? "not in it: bodies (--without-bodies)"
      : `bodies: ${bodies.copied} copied, ${bodies.present} were there`,
    `archive: ${files} files`,
    `remembered heads: ${heads.length}`,
    "not in it: settings, files that settings name, mirrors, and the witness's state"
  ].join("\n")

/** `plumbline backup`. */
export const backup = Command.make(
  "backup",
  {
    folder: Argument.String("folder").pipe(
      Argument.withDescription(
        "Folder of the backup, or a bucket such as s3://my-bucket/backup: a new one, or the one of the last backup, which it replaces"
      )
    ),
    keys: Flag.Boolean("keys").pipe(
      Flag.withDescription("Also copy the signing keys and the server secret, readable by their owner alone"),
      Flag.withDefault(false)
    ),
    withoutBodies: Flag.Boolean("without-bodies").pipe(
      Flag.withDescription("Leave out the bodies, for instance when a bucket keeps them"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ folder: path, keys, withoutBodies }) {
    const settings = yield* Settings
    const folder = wholeName(path)
    if (keys && isBucket(path))
      return yield* new UsageError({
        message: "--keys: private files go into no bucket; keep copies of them elsewhere"
      })
    const work = Effect.gen(function* () {
      const simulated = (yield* storedFact("mode")) === "replay"
      const memory =
        (yield* HeadMemory) ?? headFiles(headDirOf(settings, keyFilesOf(settings).log.file, simulated))
      const done = yield* write(yield* placeAt(folder), {
        withBodies: !withoutBodies,
        memory,
        say: Console.log
      })
      yield* Console.log(summary(done))
      const damaged = done.bodies?.damaged ?? []
      if (damaged.length === 0) {
        // A copy that nothing can be written to, such as a replica, can be backed up all the same.
        return yield* Effect.catchTag(noteBackup(done.manifest.made_at), "SqlError", () =>
          Console.error("the database takes no note of this backup: its age will be that of the one before")
        )
      }
      yield* Console.error(
        `${damaged.length} bodies do not have their hashes and were not copied: ${damaged.slice(0, 3).join(", ")}`
      )
      return yield* new NotPassed({ code: 1 })
    })
    yield* operateOnEngine(Effect.scoped(work), [
      "backup",
      folder,
      ...(withoutBodies ? ["--without-bodies"] : [])
    ])
    // The rest is of the process that was asked, which may read the keys that its own settings name.
    if (Option.isSome(yield* Inside)) return
    yield* Console.log(
      keys
        ? `private files: ${(yield* saveKeys(folder, settings)).join(", ")} (mode 600; whoever reads them can sign as you)`
        : "not in it: the signing keys and the server secret (--keys); keep copies of them elsewhere"
    )
  }, Effect.provide(Settings.layer))
).pipe(
  Command.withDescription(
    "Write a backup of the running or stopped service: all tables as of one moment, the bodies that the folder does not have yet, and the remembered heads of the log"
  ),
  Command.withShortDescription("Write a backup of the database, bodies and remembered heads")
)
