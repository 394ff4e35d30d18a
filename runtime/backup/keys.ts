/** The private files of a service: its signing keys and its secret. */
import { readdir, readFile, rename } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { Effect, Option } from "effect"
import { makeFolder, onDisk, replaceFile } from "../outside/disk.ts"
import { makePrivate } from "../outside/privateFile.ts"
import { exists, keyFilesOf, kidOfPem, nextOf, retiredOf } from "../service/keyFiles.ts"
import type { Settings } from "../settings/Settings.ts"
import { keysFolder } from "./manifest.ts"

const secretName = "server-secret"

/** The files by the name that they have in a backup. */
const filesOf = (settings: Settings["Service"]): ReadonlyArray<readonly [name: string, file: string]> => {
  const secret = Option.getOrElse(settings.serverSecretFile, () => join(settings.dataDir, "server-secret"))
  return [
    ...keysOf(settings).flatMap(([name, file]) => [
      [name, file] as const,
      [nextOf(name), nextOf(file)] as const
    ]),
    [secretName, secret]
  ]
}

const keysOf = (settings: Settings["Service"]) => {
  const { answers, log } = keyFilesOf(settings)
  return [
    ["signing-key.pem", answers.file],
    ["log-key.pem", log.file]
  ] as const
}

/** The retired keys beside a file, by the end of their names. */
const retiredBeside = (file: string) =>
  Effect.map(
    Effect.orElseSucceed(
      onDisk(() => readdir(dirname(file))),
      () => []
    ),
    (names) =>
      names
        .filter((name) => name.startsWith(retiredOf(basename(file), "")))
        .map((name) => name.slice(basename(file).length))
  )

/** Renames another key that an earlier backup left in this place: it may be the last copy of one that signed. */
const keepEarlier = Effect.fnUntraced(function* (place: string, content: string) {
  if (!(yield* exists(place))) return
  const earlier = yield* onDisk(() => readFile(place, "utf8"))
  if (earlier !== content) yield* onDisk(() => rename(place, retiredOf(place, kidOfPem(earlier))))
})

/** Copies the files that there are into the backup, readable by their owner alone; gives their names. */
export const saveKeys = Effect.fn("Backup.saveKeys")(function* (
  folder: string,
  settings: Settings["Service"]
) {
  yield* onDisk(() => makeFolder(keysFolder(folder)))
  const saved: Array<string> = []
  const retired = yield* Effect.forEach(keysOf(settings), ([name, file]) =>
    Effect.map(retiredBeside(file), (ends) => ends.map((end) => [name + end, file + end] as const))
  )
  // Before the others: an earlier backup in the folder may have one of them under the name of the key in use.
  for (const [name, file] of [...retired.flat(), ...filesOf(settings)]) {
    if (!(yield* exists(file))) continue
    const content = yield* onDisk(() => readFile(file, "utf8"))
    const place = join(keysFolder(folder), name)
    if (name !== secretName) yield* keepEarlier(place, content)
    yield* replaceFile(place, content)
    saved.push(name)
  }
  return saved
})

/** Puts the files of the backup where the settings name them; gives the files made, and those that were there before. */
export const restoreKeys = Effect.fn("Restore.restoreKeys")(function* (
  folder: string,
  settings: Settings["Service"]
) {
  const created: Array<string> = []
  const left: Array<string> = []
  const retired = yield* Effect.forEach(keysOf(settings), ([name, file]) =>
    Effect.map(retiredBeside(join(keysFolder(folder), name)), (ends) =>
      ends.map((end) => [name + end, file + end] as const)
    )
  )
  for (const [name, file] of [...filesOf(settings), ...retired.flat()]) {
    const from = join(keysFolder(folder), basename(name))
    if (!(yield* exists(from))) continue
    const content = yield* onDisk(() => readFile(from, "utf8"))
    if (yield* onDisk(() => makePrivate(file, content))) created.push(file)
    else left.push(file)
  }
  return { created, left }
})
