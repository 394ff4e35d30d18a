/** Files that only their owner may read: keys and secrets. */
import { chmod, link, open, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { makeFolder } from "./disk.ts"

/**
 * Creates the file in one step. Returns false if it exists, and leaves it unchanged. A crash leaves nothing or the whole
 * file, and if two processes create it at once, the first wins.
 */
export const makePrivate = async (file: string, content: string): Promise<boolean> => {
  await makeFolder(dirname(file))
  const temporary = `${file}.${process.pid}`
  const handle = await open(temporary, "w", 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    await chmod(temporary, 0o600)
    await link(temporary, file)
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false
    throw error
  } finally {
    await rm(temporary)
  }
}
