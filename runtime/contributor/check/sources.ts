import { readdir, readFile } from "node:fs/promises"
import type { Effect } from "effect"
import { type DiskError, onDisk } from "../../outside/disk.ts"
import type { SourceFile } from "./source.ts"

/** The sources in the folder of a plugin, by name. */
export const sourcesOf = (folder: URL): Effect.Effect<ReadonlyArray<SourceFile>, DiskError> =>
  onDisk(async () => {
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts")).sort()
    return Promise.all(
      names.map(async (name) => ({ name, text: await readFile(new URL(name, folder), "utf8") }))
    )
  })
