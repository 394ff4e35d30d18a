/**
 * Copies a folder whose files others write. The first pass copies what there is, while they write; a second one, while they
 * do not, only what was written since, so it is short however large the folder is.
 */
import { constants } from "node:fs"
import { copyFile, mkdir, readdir, rm, stat } from "node:fs/promises"
import { dirname, join, relative } from "node:path"

/** How a file was when it was copied; times in epoch milliseconds. */
export interface Copied {
  readonly size: number
  readonly modifiedAt: number
  readonly copiedAt: number
}

/** Two changes within the resolution of a file system's times look like one. Generous; milliseconds. */
const resolution = 2000

/** `copied` is empty for the first pass, and is brought up to date. */
export const mirrorFolder = async (from: string, to: string, copied: Map<string, Copied>): Promise<void> => {
  const present = new Set<string>()
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const path = relative(from, join(entry.parentPath, entry.name))
    if (entry.isDirectory()) await mkdir(join(to, path), { recursive: true, mode: 0o700 })
    else if (entry.isFile() && (await mirrorFile(from, to, path, copied))) present.add(path)
  }
  for (const path of [...copied.keys()].filter((path) => !present.has(path))) {
    copied.delete(path)
    await rm(join(to, path), { force: true })
  }
}

/** False for a file that is gone by now. */
const mirrorFile = async (from: string, to: string, path: string, copied: Map<string, Copied>) => {
  try {
    const copiedAt = Date.now()
    const { mtimeMs: modifiedAt, size } = await stat(join(from, path))
    const before = copied.get(path)
    const isSame = before !== undefined && before.size === size && before.modifiedAt === modifiedAt
    if (isSame && before.copiedAt - before.modifiedAt > resolution) return true
    await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 })
    await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE)
    copied.set(path, { size, modifiedAt, copiedAt })
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false
    throw error
  }
}
