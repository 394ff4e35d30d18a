/** The file of one body. This module imports only Node: the demo's thread loads it. */
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

export const pathIn = (folder: string, sha256: string): string =>
  join(folder, sha256.slice(0, 2), `${sha256}.zst`)

/** Where it is written before it has its name. */
export const halfOf = (path: string): string => `${path}.${randomUUID()}`

/** How it is written: as a new file, synced. */
export const whole = { flag: "wx", mode: 0o600, flush: true } as const

/** Whether an error says that a file, or a folder on its path, is not there. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

/**
 * Stores a body as `put` of `blobFiles.ts` does, while the thread waits for the disk: each asynchronous call would wake
 * another thread, which takes longer than the call. Throws what the system says.
 */
export const putSync = (folder: string, sha256: string, compressed: Uint8Array): void => {
  const path = pathIn(folder, sha256)
  if (existsSync(path)) return
  const half = halfOf(path)
  try {
    try {
      writeFileSync(half, compressed, whole)
    } catch (error) {
      if (!isAbsent(error)) throw error
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(half, compressed, whole)
    }
    renameSync(half, path)
  } catch (error) {
    rmSync(half, { force: true })
    throw error
  }
}
