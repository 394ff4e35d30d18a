import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { type DiskError, onDisk } from "../../outside/disk.ts"
import type { SourceFile } from "./source.ts"

/** All files in a folder and in those below, by name; none if there is no such folder. */
export const filesOf = (folder: string): Effect.Effect<ReadonlyArray<SourceFile>, DiskError> =>
  onDisk(async () => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    return Promise.all(
      paths.toSorted().map(async (path) => ({
        name: path.slice(join(folder, "/").length),
        text: await readFile(path, "utf8")
      }))
    )
  })

/** The sources in the folder of a plugin, by name. */
export const sourcesOf = (folder: URL): Effect.Effect<ReadonlyArray<SourceFile>, DiskError> =>
  Effect.map(filesOf(fileURLToPath(folder)), (files) => files.filter(({ name }) => name.endsWith(".ts")))
