/**
 * `npm run prepare`, which `npm ci` runs: makes ahead what the first start would make. What cannot be made here costs that
 * start its time, and no more.
 */
import { existsSync, mkdirSync, renameSync } from "node:fs"
import { dirname } from "node:path"
import { assetsBuilt } from "../../http/explorer/assets/build.ts"
import { emptyFolder } from "../database/emptyFolder.ts"
import * as NewFolder from "../database/newFolder.ts"

/** Keeps the folder of an empty database for the new ones to come. */
const keepEmpty = async (): Promise<void> => {
  const empty = emptyFolder()
  if (existsSync(empty)) return
  mkdirSync(dirname(empty), { recursive: true })
  const { discard, ready, path } = NewFolder.make(empty)
  try {
    const fault = await ready
    if (fault !== undefined) throw new Error(fault)
    renameSync(path, empty)
  } finally {
    discard()
  }
}

// `npm pack` runs this too, perhaps where nothing is installed.
const isInstalled = existsSync(new URL("../../node_modules", import.meta.url))
for (const outcome of isInstalled ? await Promise.allSettled([assetsBuilt(), keepEmpty()]) : []) {
  if (outcome.status === "rejected") {
    process.stderr.write(`plumbline: the first start has more to do: ${outcome.reason}\n`)
  }
}
