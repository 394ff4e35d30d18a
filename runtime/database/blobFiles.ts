/** `Blobs` as files under `<folder>/ab/<sha256>.zst`: each is synced, then named, so that no row names half a body. */
import { randomUUID } from "node:crypto"
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import { Blobs } from "../../core/data/ingest/Blobs.ts"

export const layer = (folder: string): Layer.Layer<Blobs> => {
  const pathOf = (sha256: string) => join(folder, sha256.slice(0, 2), `${sha256}.zst`)
  return Layer.succeed(
    Blobs,
    Blobs.of({
      put: (sha256, compressed) =>
        Effect.promise(async () => {
          const path = pathOf(sha256)
          if (await stat(path).catch(() => undefined)) return
          await mkdir(join(path, ".."), { recursive: true })
          const half = `${path}.${randomUUID()}`
          const file = await open(half, "wx", 0o600)
          try {
            await file.writeFile(compressed)
            await file.sync()
          } finally {
            await file.close()
          }
          await rename(half, path)
        }),
      get: (sha256) =>
        Effect.promise(() => readFile(pathOf(sha256)).catch(() => undefined)).pipe(
          Effect.map(Option.fromNullishOr)
        ),
      kept: (hashes) =>
        Effect.promise(async () => {
          const there = await Promise.all(
            hashes.map((sha256) =>
              stat(pathOf(sha256)).then(
                () => true,
                () => false
              )
            )
          )
          return new Set(hashes.filter((_, index) => there[index]))
        }),
      remove: (hashes) =>
        Effect.forEach(hashes, (sha256) => Effect.promise(() => rm(pathOf(sha256), { force: true })), {
          discard: true
        })
    })
  )
}
