/** The remembered heads of the log, in a file for each log key. They are kept where no backup of the data restores them. */
import { constants } from "node:fs"
import { access, readFile } from "node:fs/promises"
import { basename, dirname, join, relative, resolve } from "node:path"
import { Effect, Option } from "effect"
import { HeadMemoryError, type Memory } from "../../core/log/HeadMemory.ts"
import { Malformed } from "../../core/proof/bytes.ts"
import { parseCheckpointText, parseNote } from "../../core/proof/checkpoint.ts"
import { type DiskError, makeFolder, onDisk, replaceFile } from "../outside/disk.ts"
import type { Settings } from "../settings/Settings.ts"
import { exists } from "./keyFiles.ts"

const isInside = (path: string, folder: string): boolean => {
  const way = relative(resolve(folder), resolve(path))
  return !way.startsWith("..")
}

/**
 * The folder in the settings, else the log key's. A key in `DATA_DIR` has its heads in a folder beside `DATA_DIR`, which a
 * restored copy leaves alone; the demo's stay inside, and go with it.
 */
export const headDirOf = (
  settings: Pick<Settings["Service"], "dataDir" | "logHeadDir">,
  logKeyFile: string,
  simulated: boolean
): string =>
  Option.getOrElse(settings.logHeadDir, () => {
    const beside = dirname(logKeyFile)
    if (!isInside(beside, settings.dataDir)) return beside
    return simulated ? join(settings.dataDir, "heads") : `${resolve(settings.dataDir)}.heads`
  })

/** Keeps the heads in this folder. */
export const headFiles = (folder: string): Memory => {
  const fileOf = (kid: string) => join(folder, `log-${kid}.checkpoint`)
  const orFail = (doing: string) =>
    Effect.mapError(
      ({ message }: DiskError) =>
        new HeadMemoryError({
          // The message reaches /readyz, where no path of this machine belongs.
          message: `LOG_HEAD_DIR: cannot ${doing} the remembered heads (${message.split(",")[0]}). Make it a folder that the service may write, outside DATA_DIR and its backups`
        })
    )
  const read = Effect.fnUntraced(function* (kids: ReadonlyArray<string>) {
    yield* onDisk(() => makeFolder(folder))
    yield* onDisk(() => access(folder, constants.W_OK))
    const files = yield* Effect.filter(kids.map(fileOf), exists)
    return yield* Effect.forEach(files, (file) =>
      Effect.map(
        onDisk(() => readFile(file, "utf8")),
        (note) => ({ from: `The head remembered in LOG_HEAD_DIR (${basename(file)})`, note })
      )
    )
  })
  return {
    read: (kids) => read(kids).pipe(orFail("read or write")),
    keep: (kids, { note, size }) =>
      Effect.forEach(
        kids,
        Effect.fnUntraced(function* (kid) {
          const [stored] = yield* read([kid])
          if (stored === undefined || sizeOf(stored.note) < size) yield* replaceFile(fileOf(kid), note)
        }),
        { discard: true }
      ).pipe(orFail("write"))
  }
}

const sizeOf = (note: string): number => {
  try {
    return parseCheckpointText(parseNote(note).text).size
  } catch (error) {
    // The log refuses to sign on it, and says so.
    if (error instanceof Malformed) return Number.POSITIVE_INFINITY
    throw error
  }
}
