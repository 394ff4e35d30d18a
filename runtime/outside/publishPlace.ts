/** Places for the public files of the log: a folder that a web server serves, or a bucket behind a CDN. */
import { createHash, randomUUID } from "node:crypto"
import { createReadStream } from "node:fs"
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { Effect, Option, Stream } from "effect"
import { type Place, PlaceUnusable } from "../../core/log/record/publish/Place.ts"
import type { ObjectStore, ObjectStoreError } from "./objectStore.ts"

const attempt = <A>(doing: string, path: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      new PlaceUnusable({
        message: `cannot ${doing} ${path}: ${error instanceof Error ? error.message : String(error)}`
      })
  })

const ifThere = async <A>(work: () => Promise<A>): Promise<A | undefined> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined
    throw error
  }
}

/** Writes the parts to a new file, durably, and gives their hash and their size. */
const spooled = Effect.fnUntraced(function* <E, R>(path: string, parts: Stream.Stream<Uint8Array, E, R>) {
  const file = yield* Effect.acquireRelease(
    attempt("write", path, () => open(path, "wx", 0o644)),
    (handle) => Effect.ignore(attempt("close", path, () => handle.close()))
  )
  const hash = createHash("sha256")
  let size = 0
  yield* Stream.runForEach(parts, (part) =>
    attempt("write", path, async () => {
      hash.update(part)
      size += part.length
      await file.writeFile(part)
    })
  )
  yield* attempt("write", path, () => file.sync())
  return { size, sha256: hash.digest("hex") }
}, Effect.scoped)

/** Hidden files are the operator's. */
const isHalf = (path: string): boolean => path.endsWith(".part")

export const folderPlace = (folder: string): Place => ({
  name: folder,
  list: attempt("list", folder, async () => {
    const entries = (await ifThere(() => readdir(folder, { recursive: true, withFileTypes: true }))) ?? []
    return new Set(
      entries
        .filter((entry) => entry.isFile() && !isHalf(entry.name))
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    )
  }),
  read: (path) =>
    attempt("read", join(folder, path), async () => ifThere(() => readFile(join(folder, path)))),
  write: Effect.fn("publish.write")(function* ({ path }, parts) {
    const target = join(folder, path)
    const half = `${target}.${randomUUID()}.part`
    yield* attempt("make the folder of", target, () => mkdir(dirname(target), { recursive: true }))
    yield* Effect.andThen(
      spooled(half, parts),
      attempt("write", target, () => rename(half, target))
    ).pipe(Effect.ensuring(Effect.ignore(attempt("remove", half, () => rm(half, { force: true })))))
  })
})

const unusable = ({ message }: ObjectStoreError) => new PlaceUnusable({ message })

/** How long others may keep an object without asking. */
const cachingOf = (isLasting: boolean): string =>
  isLasting ? "public, max-age=31536000, immutable" : "public, max-age=0, must-revalidate"

export const bucketPlace = (name: string, store: ObjectStore): Place => ({
  name,
  list: Effect.map(
    Effect.mapError(store.list(""), unusable),
    (objects) => new Set(objects.map(({ key }) => key))
  ),
  read: (path) => Effect.map(Effect.mapError(store.get(path), unusable), Option.getOrUndefined),
  write: Effect.fn("publish.write")(function* ({ contentType, isLasting, path }, parts) {
    const folder = yield* Effect.acquireRelease(
      attempt("make", tmpdir(), () => mkdtemp(join(tmpdir(), "plumbline-publish-"))),
      (folder) => Effect.ignore(attempt("remove", folder, () => rm(folder, { recursive: true, force: true })))
    )
    const file = join(folder, "file")
    const { sha256, size } = yield* spooled(file, parts)
    yield* store
      .replace(
        path,
        { size, sha256, read: () => createReadStream(file) },
        { "content-type": contentType, "cache-control": cachingOf(isLasting) }
      )
      .pipe(Effect.mapError(unusable))
  }, Effect.scoped)
})
