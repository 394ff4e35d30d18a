/** `Blobs` as files under `<folder>/ab/<sha256>.zst`. Each is synced before it is renamed, so no row names half a body. */
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect, Layer, Option } from "effect"
import { Blobs, BlobsUnavailable } from "../../core/readings/ingest/Blobs.ts"
import { halfOf, isAbsent, pathIn, whole } from "./bodyFile.ts"

/** Adds the path to the error, because Node's own omits it when the disk is full. */
const attempt = <A>(doing: string, path: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (error) =>
      new BlobsUnavailable({
        message: `cannot ${doing} ${path}: ${error instanceof Error ? error.message : String(error)}`
      })
  })

const unlessAbsent = (error: unknown): undefined => {
  if (isAbsent(error)) return undefined
  throw error
}

export const layer = (folder: string): Layer.Layer<Blobs> => {
  const pathOf = (sha256: string) => pathIn(folder, sha256)
  const isThere = (path: string) => stat(path).catch(unlessAbsent)

  const write = async (path: string, compressed: Uint8Array): Promise<void> => {
    if (await isThere(path)) return
    const half = halfOf(path)
    const begin = () => writeFile(half, compressed, whole)
    try {
      await begin().catch(async (error: unknown) => {
        unlessAbsent(error)
        await mkdir(dirname(path), { recursive: true })
        await begin()
      })
      await rename(half, path)
    } catch (error) {
      // On a full disk each attempt would leave a piece behind and use up the remaining space.
      await rm(half, { force: true }).catch(() => {})
      throw error
    }
  }

  return Layer.succeed(
    Blobs,
    Blobs.of({
      put: (sha256, compressed) => {
        const path = pathOf(sha256)
        return attempt("write", path, () => write(path, compressed))
      },
      get: (sha256) => {
        const path = pathOf(sha256)
        return Effect.map(
          attempt("read", path, () => readFile(path).catch(unlessAbsent)),
          Option.fromNullishOr
        )
      },
      stored: (hashes) =>
        Effect.map(
          Effect.filter(
            hashes,
            (sha256) =>
              attempt("look for", pathOf(sha256), () => isThere(pathOf(sha256))).pipe(
                Effect.map((stats) => stats !== undefined)
              ),
            { concurrency: 16 }
          ),
          (there) => new Set(there)
        ),
      remove: (hashes) =>
        Effect.forEach(
          hashes,
          (sha256) => attempt("remove", pathOf(sha256), () => rm(pathOf(sha256), { force: true })),
          { discard: true }
        )
    })
  )
}
