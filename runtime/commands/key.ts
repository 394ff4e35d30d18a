import { Console, Effect, Result } from "effect"
import { Command, Flag } from "effect/cli"
import * as DataClock from "../../core/clock/DataClock.ts"
import { operate, operateOnDatabase } from "../admin/run.ts"
import { Keyring } from "../service/Keyring.ts"
import { KeyUnusable, keyFilesOf, purposes } from "../service/keyFiles.ts"
import { adopt as adoptKey, makeNew, rotateLog } from "../service/newKeys.ts"
import { Settings } from "../settings/Settings.ts"

const what = { answers: "answers", log: "the log" } as const

const purpose = Flag.Literals("purpose", purposes).pipe(
  Flag.withDescription("What the key signs: answers, or the log's checkpoints")
)

const make = Command.make("new", {}, () =>
  operateOnDatabase(
    Effect.gen(function* () {
      const files = keyFilesOf(yield* Settings)
      // Each for itself: what stands in the way of one key does not keep the other from being made.
      const refused: Array<KeyUnusable> = []
      for (const one of purposes) {
        const key = yield* Effect.result(makeNew(files[one]))
        if (Result.isFailure(key)) {
          if (!(key.failure instanceof KeyUnusable)) return yield* key.failure
          refused.push(key.failure)
          continue
        }
        const { kid, created } = key.success
        yield* Console.log(
          created
            ? `created the key ${kid}, which signs ${what[one]}\n  ${files[one].file} (mode 600; keep a safe copy)`
            : `the key ${kid}, which signs ${what[one]}, is there already\n  ${files[one].file}`
        )
      }
      if (refused.length > 0) {
        return yield* new KeyUnusable({ message: refused.map(({ message }) => message).join("; ") })
      }
    }).pipe(Effect.provide(Settings.layer))
  )
).pipe(
  Command.withDescription(
    "Create the files that SIGNING_KEY_FILE and LOG_KEY_FILE name, where missing, and enter their keys; never overwrites one"
  ),
  Command.withShortDescription("Create the signing keys that are missing")
)

const adopt = Command.make("adopt", { purpose }, ({ purpose }) =>
  operateOnDatabase(
    Effect.gen(function* () {
      const { kid, notBefore } = yield* adoptKey(keyFilesOf(yield* Settings)[purpose])
      yield* Console.log(
        notBefore === undefined
          ? `the key ${kid} signs ${what[purpose]} from now on`
          : `the key ${kid} signs ${what[purpose]} from ${notBefore}; give every process its file`
      )
    }).pipe(Effect.provide(Settings.layer))
  )
).pipe(
  Command.withDescription(
    "Enter the key of an existing file, the one that SIGNING_KEY_FILE or LOG_KEY_FILE names; for answers, it replaces a key whose file is lost"
  ),
  Command.withShortDescription("Take over an existing key file")
)

const rotate = Command.make("rotate", { purpose }, ({ purpose }) =>
  operate(
    Effect.gen(function* () {
      if (purpose === "log") {
        const { file, kid, rotation } = yield* rotateLog(yield* DataClock.now)
        return yield* Console.log(
          [
            `the new key ${kid} signs the log beside the old one, which ends at ${rotation.not_after}`,
            `  ${file} (mode 600; keep a safe copy, and leave the old file where it is)`,
            "The rotation is in the log. If other processes have key files of their own, copy the new file to each at once;",
            "until then they do not sign the log. Publish the new verifier key where you published the old one:",
            `  ${rotation.new}`
          ].join("\n")
        )
      }
      const { file, kid, notBefore } = yield* (yield* Keyring).rotateAnswers
      yield* Console.log(
        [
          `the new key ${kid} is announced and signs answers from ${notBefore}; no restart is needed`,
          `  ${file} (mode 600; keep a safe copy, and leave the old file where it is)`,
          "If other processes have key files of their own, copy the new file to each before then.",
          "Old answers still verify: the old public key stays published with its end."
        ].join("\n")
      )
    })
  )
).pipe(
  Command.withDescription(
    "Replace a key while the service runs. What the old key signed still verifies. The new one is in <file>.next beside the old one, and takes its place once the old one is retired"
  ),
  Command.withShortDescription("Replace a signing key")
)

/** `plumbline key`: the keys that sign answers and the log. */
export const key = Command.make("key").pipe(
  Command.withDescription("Manage the signing keys"),
  Command.withSubcommands([make, adopt, rotate])
)
