/** `ArchiveFiles` in a folder, which replicas may share. Keys are paths in it. */
import { randomUUID } from "node:crypto"
import { link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { Effect, Layer, Option, Stream } from "effect"
import { ArchiveFiles, ArchiveUnavailable } from "../../core/log/archive/ArchiveFiles.ts"

/** Bytes that are read or written at once. */
const atOnce = 256 * 1024

const attempt = <A>(doing: string, path: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      new ArchiveUnavailable({
        message: `cannot ${doing} ${path}: ${error instanceof Error ? error.message : String(error)}`
      })
  })

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false
      throw error
    }
  )

const synced = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r")
  await handle.sync().finally(() => handle.close())
}

export const make = (folder: string): ArchiveFiles["Service"] =>
  ArchiveFiles.of({
    folder,
    holdsToHashes: false,
    put: Effect.fn("archive.put")(function* (key, content) {
      const path = join(folder, key)
      if (yield* attempt("look for", path, () => isThere(path))) return
      yield* attempt("make the folder of", path, () => mkdir(dirname(path), { recursive: true, mode: 0o700 }))
      const half = `${path}.${randomUUID()}.part`
      yield* Effect.gen(function* () {
        const file = yield* Effect.acquireRelease(
          attempt("write", half, () => open(half, "wx", 0o600)),
          (handle) => Effect.ignore(attempt("close", half, () => handle.close()))
        )
        for (let at = 0; at < content.bytes; at += atOnce) {
          const bytes = yield* content.read(at, Math.min(content.bytes, at + atOnce))
          yield* attempt("write", half, () => file.writeFile(bytes))
        }
        yield* attempt("write", half, async () => {
          await file.sync()
          // A link fails where a rename would replace: of two processes, the first one's file stays.
          await link(half, path).catch((error: NodeJS.ErrnoException) => {
            if (error.code !== "EEXIST") throw error
          })
          await synced(dirname(path))
        })
      }).pipe(
        Effect.scoped,
        Effect.ensuring(Effect.ignore(attempt("remove", half, () => rm(half, { force: true }))))
      )
    }),
    read: (key, from, to) => {
      const path = join(folder, key)
      return Stream.unwrap(
        Effect.map(
          Effect.acquireRelease(
            attempt("read", path, () => open(path, "r")),
            (handle) => Effect.ignore(attempt("close", path, () => handle.close()))
          ),
          (file) =>
            Stream.paginate(from, (at) =>
              attempt("read", path, async () => {
                const size = Math.min(atOnce, to - at)
                const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, at)
                if (bytesRead !== size) throw new Error(`it ends at byte ${at + bytesRead}`)
                return [[buffer], at + size < to ? Option.some(at + size) : Option.none()] as const
              })
            )
        )
      )
    },
    stamp: (key) => {
      const path = join(folder, key)
      return attempt("look at", path, async () => {
        const { ctimeMs, ino, mtimeMs, size } = await stat(path)
        return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
      })
    },
    setAside: (key) => {
      const path = join(folder, key)
      return attempt("move away", path, () =>
        rename(path, `${path}.damaged-${randomUUID()}`).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOENT") throw error
        })
      )
    },
    list: attempt("list", folder, async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code === "ENOENT") return []
          throw error
        }
      )
      const sizes = new Map<string, number>()
      for (const one of entries) {
        if (!one.isFile() || !one.name.endsWith(".parquet")) continue
        const path = join(one.parentPath, one.name)
        sizes.set(relative(folder, path), (await stat(path)).size)
      }
      return sizes
    })
  })

export const layer = (folder: string): Layer.Layer<ArchiveFiles> => Layer.succeed(ArchiveFiles, make(folder))
