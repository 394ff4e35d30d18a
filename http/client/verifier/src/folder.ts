/** The files of a log in a folder: a mirror's copy, and the monitor's own state. Each file is whole or not there. */
import { randomUUID } from "node:crypto"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type Source, SourceUnreachable } from "./monitor/source.ts"

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")

/** The file's bytes; undefined if it is not there. Throws `SourceUnreachable`. */
export const readIfThere = async (path: string): Promise<Uint8Array | undefined> => {
  try {
    return await readFile(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new SourceUnreachable(`cannot read ${path}: ${error instanceof Error ? error.message : error}`)
  }
}

/** Writes a file under another name first, so that a crash leaves the old one or the new one. Throws `SourceUnreachable`. */
export const writeWhole = async (path: string, bytes: Uint8Array | string): Promise<void> => {
  const draft = `${path}.${randomUUID()}.part`
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(draft, bytes, { flush: true })
    await rename(draft, path)
  } catch (error) {
    throw new SourceUnreachable(`cannot write ${path}: ${error instanceof Error ? error.message : error}`)
  }
}

/** The files in a folder, by the same paths as on a service. */
export const inFolder = (folder: string): Source => ({
  name: folder,
  read: (path) => readIfThere(join(folder, path))
})
