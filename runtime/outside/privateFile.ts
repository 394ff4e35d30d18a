/** Files that their owner alone may read: keys and secrets. */
import { chmod, link, mkdir, open, rm } from "node:fs/promises"
import { dirname } from "node:path"

/**
 * Makes the file in one step, unless there is one: then it is left as it is, and the answer is false. A crash leaves
 * nothing or the whole file, and of two that make one at once the first wins.
 */
export const makePrivate = async (file: string, content: string): Promise<boolean> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const beside = `${file}.${process.pid}`
  const handle = await open(beside, "w", 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    await chmod(beside, 0o600)
    await link(beside, file)
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false
    throw error
  } finally {
    await rm(beside)
  }
}
