/** The private files of a service: its signing keys and its secret. */
import { readFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { Effect, Option } from "effect"
import { makeFolder, onDisk, replaceFile } from "../outside/disk.ts"
import { makePrivate } from "../outside/privateFile.ts"
import { exists, keyFilesOf, nextOf } from "../service/keyFiles.ts"
import type { Settings } from "../service/Settings.ts"
import { keysFolder } from "./manifest.ts"

/** The files by the name that they have in a backup. */
const filesOf = (settings: Settings["Service"]): ReadonlyArray<readonly [name: string, file: string]> => {
  const { answers, log } = keyFilesOf(settings)
  const secret = Option.getOrElse(settings.serverSecretFile, () => join(settings.dataDir, "server-secret"))
  return [
    ["signing-key.pem", answers.file],
    [nextOf("signing-key.pem"), nextOf(answers.file)],
    ["log-key.pem", log.file],
    [nextOf("log-key.pem"), nextOf(log.file)],
    ["server-secret", secret]
  ]
}

/** Copies the files that there are into the backup, readable by their owner alone; gives their names. */
export const saveKeys = Effect.fn("Backup.saveKeys")(function* (
  folder: string,
  settings: Settings["Service"]
) {
  yield* onDisk(() => makeFolder(keysFolder(folder)))
  const saved: Array<string> = []
  for (const [name, file] of filesOf(settings)) {
    if (!(yield* exists(file))) continue
    const content = yield* onDisk(() => readFile(file, "utf8"))
    yield* replaceFile(join(keysFolder(folder), name), content)
    saved.push(name)
  }
  return saved
})

/** Puts the files of the backup where the settings name them; gives the files made, and those that were there before. */
export const restoreKeys = Effect.fn("Restore.keys")(function* (
  folder: string,
  settings: Settings["Service"]
) {
  const made: Array<string> = []
  const left: Array<string> = []
  for (const [name, file] of filesOf(settings)) {
    const from = join(keysFolder(folder), basename(name))
    if (!(yield* exists(from))) continue
    const content = yield* onDisk(() => readFile(from, "utf8"))
    if (yield* onDisk(() => makePrivate(file, content))) made.push(file)
    else left.push(file)
  }
  return { made, left }
})
