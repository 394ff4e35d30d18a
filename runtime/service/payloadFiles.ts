/** `PayloadFiles` in a folder: a file for each payload, named by its hash, of which the newest stay. */
import { createHash, randomUUID } from "node:crypto"
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { PayloadFiles } from "../../core/products/depin_history/PayloadFiles.ts"

/** Files that stay: the newest, and one that a buyer may be reading. */
const most = 2

const attempt = <A>(doing: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (error) => `cannot ${doing}: ${String(error)}` })

const write = async (folder: string, sha256: string, bytes: Uint8Array): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const half = join(folder, `${sha256}.${randomUUID()}.part`)
  try {
    await writeFile(half, bytes, { mode: 0o600, flush: true })
    await rename(half, join(folder, sha256))
  } finally {
    await rm(half, { force: true })
  }
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs }))
  )
  for (const { name } of files.toSorted((a, b) => b.at - a.at).slice(most)) {
    await rm(join(folder, name), { force: true })
  }
}

export const layer = (folder: string): Layer.Layer<never> =>
  Layer.succeed(PayloadFiles, {
    put: (sha256, bytes) =>
      attempt("keep a payload", () => write(folder, sha256, bytes)).pipe(
        Effect.catch((message) => Effect.logWarning(message))
      ),
    get: (sha256) =>
      attempt("read a payload", () => readFile(join(folder, sha256))).pipe(
        Effect.map((bytes) =>
          createHash("sha256").update(bytes).digest("hex") === sha256 ? bytes : undefined
        ),
        Effect.orElseSucceed(() => undefined)
      )
  })
