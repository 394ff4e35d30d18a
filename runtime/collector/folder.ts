/** The files of a plugin from elsewhere: what its hash is of, and what its code may read. */
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"

/** What its author's tools keep beside it: its code cannot read it, and its hash is not of it. */
const isTools = (name: string): boolean => name === "node_modules" || name.startsWith(".")

/** The most files, and the most bytes together. */
export const most = { files: 2000, bytes: 16 * 2 ** 20 }

/** Paths of what stands in the folder itself, without what the author's tools keep there. */
export const partsOf = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(folder)).filter((name) => !isTools(name)).map((name) => join(folder, name))

/** Paths of all files. Throws in words where a link leads elsewhere, and where there is too much. */
export const filesOfFolder = async (folder: string): Promise<ReadonlyArray<string>> => {
  const files: Array<string> = []
  let bytes = 0
  const walk = async (inside: string): Promise<void> => {
    for (const entry of await readdir(inside, { withFileTypes: true })) {
      if (inside === folder && isTools(entry.name)) continue
      const path = join(inside, entry.name)
      if (entry.isDirectory()) {
        await walk(path)
        continue
      }
      // Permissions follow links: one would lead its code past its folder.
      if (!entry.isFile()) throw new Error(`${path} is neither a file nor a folder`)
      files.push(path)
      bytes += (await stat(path)).size
      if (files.length > most.files || bytes > most.bytes)
        throw new Error(`${folder} holds more than ${most.files} files, or more than ${most.bytes} bytes`)
    }
  }
  await walk(folder)
  return files
}
