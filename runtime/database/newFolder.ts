/**
 * Makes the folder of an embedded database in a process of its own. `initdb` runs in a second engine, and executes enough
 * of both that V8 optimizes their largest functions: `raw_parser` alone takes 600 MiB of compiler memory. Neither belongs
 * into a process that stays, and what runs once needs no optimization. This module imports only Node, and modules that do
 * the same, so that a folder can be made while the service's code loads.
 */
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, rmdirSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { typescriptFlags } from "../../core/process/typescriptFlags.ts"
import { emptyFolder } from "./emptyFolder.ts"

/** A folder beside the one of the database, which is renamed to it by the owner of `DATA_DIR`. */
export interface NewFolder {
  readonly path: string
  /** Resolves once it is whole, with undefined, or with the reason why it cannot be made. */
  readonly ready: Promise<string | undefined>
  /** Removes it, whole or not, and stops making it. */
  readonly discard: () => void
}

const child = fileURLToPath(new URL("initdb.child.ts", import.meta.url))

/** How the name of a new folder begins. The rest is its own: several processes may start at once. */
export const prefixOf = (dataDir: string): string => `${dataDir}.new`

export const isMade = (dataDir: string): boolean => existsSync(join(dataDir, "PG_VERSION"))

/**
 * Begins to make a folder, as a copy of `empty` where there is one. It is removed with the end of the process, if nobody has
 * renamed it by then.
 */
export const make = (dataDir: string, empty = emptyFolder()): NewFolder => {
  const path = `${prefixOf(dataDir)}-${randomUUID().slice(0, 8)}`
  const { NODE_COMPILE_CACHE } = process.env
  let stop = () => {}
  const ready = new Promise<string | undefined>((resolve) => {
    const childProcess = execFile(
      process.execPath,
      [...typescriptFlags, "--liftoff-only", child, path, String(process.pid), empty],
      { env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE } },
      (error, _, stderr) =>
        resolve(error === null ? undefined : stderr.trim().split("\n").at(-1) || error.message)
    )
    stop = () => void childProcess.kill("SIGKILL")
  })
  const discard = () => {
    process.off("exit", discard)
    stop()
    try {
      // Again while the killed process still writes.
      rmSync(path, { recursive: true, force: true, maxRetries: 5 })
    } catch {
      // The next start removes what cannot be removed now.
    }
  }
  // biome-ignore lint/plugin/callback: the process ends anyway
  process.once("exit", discard)
  return { path, ready, discard }
}

let early: { readonly dataDir: string; readonly folder: NewFolder } | undefined

/**
 * Begins to make a folder where there is none, before it is known whether this process will own `DATA_DIR`; true if it
 * does. Where the place cannot be used, the owner finds out, and says why.
 */
export const startEarly = (dataDir: string): boolean => {
  if (isMade(dataDir)) return false
  const above = dirname(resolve(dataDir))
  const isNew = !existsSync(above)
  try {
    if (isNew) mkdirSync(above, { mode: 0o700 })
  } catch {
    return false
  }
  early = { dataDir: resolve(dataDir), folder: make(dataDir) }
  // Listens after the folder does, so it finds nothing where this process has not come to own the directory.
  // biome-ignore lint/plugin/callback: the process ends anyway
  if (isNew) process.once("exit", () => removeEmpty(above))
  return true
}

const removeEmpty = (folder: string) => {
  try {
    rmdirSync(folder)
  } catch {
    // It is not empty.
  }
}

/** Returns the folder that was begun early for this database, once. */
export const takeEarly = (dataDir: string): NewFolder | undefined => {
  if (early?.dataDir !== resolve(dataDir)) return undefined
  const { folder } = early
  early = undefined
  return folder
}
