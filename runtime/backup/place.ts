/**
 * Where the parts of a backup are: in its folder, or in a bucket under the same names. With a bucket the folder is a scratch place on this
 * machine, from which each table goes as soon as it is whole.
 */
import { createReadStream } from "node:fs"
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Array as Arr, Context, Effect, Layer, Option, Stream } from "effect"
import type { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import * as archiveFolder from "../archive/folder.ts"
import * as archiveObjects from "../archive/objects.ts"
import * as blobFiles from "../database/blobFiles.ts"
import * as blobObjects from "../database/blobObjects.ts"
import { type DiskError, onDisk } from "../outside/disk.ts"
import * as ObjectStore from "../outside/objectStore.ts"
import * as Files from "./manifest.ts"

/** The folder of a backup with what is in it, wherever it is. */
export interface Place {
  readonly folder: string
  readonly bodies: Blobs["Service"]
  readonly archive: ArchiveFiles["Service"]
  /** The hashes of the bodies that it has, part by part. */
  readonly bodiesThere: Stream.Stream<ReadonlyArray<string>, DiskError | Files.BackupError>
  /** Takes a file that is whole, by its path in the folder. */
  readonly take: (path: string) => Effect.Effect<void, DiskError | Files.BackupError>
  /** Removes the tables of earlier backups, and of those that stopped half-way. */
  readonly removeOthers: (database: string) => Effect.Effect<void, DiskError | Files.BackupError>
  /** Brings the files of a finished backup into the folder, without bodies and archive. */
  readonly bring: Effect.Effect<void, DiskError | Files.BackupError>
}

const bodyName = /([0-9a-f]{64})\.zst$/
const hashesIn = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.flatMap((name) => bodyName.exec(name)?.[1] ?? [])

/** Hashes of one part. */
const portion = 1000

const foldersIn = (folder: string) =>
  Effect.orElseSucceed(
    onDisk(() => readdir(folder)),
    () => []
  )

const blobsIn = (folder: string) =>
  Effect.map(Layer.build(blobFiles.layer(Files.bodiesFolder(folder))), (built) => Context.get(built, Blobs))

export const folderPlace = Effect.fnUntraced(function* (folder: string) {
  const bodiesFolder = Files.bodiesFolder(folder)
  return {
    folder,
    bodies: yield* blobsIn(folder),
    archive: archiveFolder.make(Files.archiveFolder(folder)),
    bodiesThere: Stream.fromIterableEffect(foldersIn(bodiesFolder)).pipe(
      Stream.mapEffect((part) => onDisk(() => readdir(join(bodiesFolder, part)))),
      Stream.map(hashesIn)
    ),
    take: () => Effect.void,
    removeOthers: Effect.fnUntraced(function* (database) {
      for (const name of yield* onDisk(() => readdir(folder)))
        if (name.startsWith("database-") && name !== database)
          yield* onDisk(() => rm(join(folder, name), { recursive: true }))
    }),
    bring: Effect.void
  } satisfies Place
})

/** Bytes of a file that are read at once. */
const atOnce = 4 * 2 ** 20

/** The bucket as a place; `folder` is empty, and is removed by whoever made it. */
export const bucketPlace = Effect.fnUntraced(function* (bucket: ObjectStore.Bucket, folder: string) {
  const below = (name: string) => ObjectStore.make({ ...bucket, prefix: `${bucket.prefix}${name}` })
  const store = yield* below("")
  const bodyStore = yield* below("bodies/")
  const inStore = <A>(work: Effect.Effect<A, ObjectStore.ObjectStoreError>) =>
    Effect.mapError(work, ({ message }) => new Files.BackupError({ message }))

  /** Copies an object into a file, piece by piece. */
  const bringFile = Effect.fnUntraced(function* (key: string) {
    const size = Option.getOrElse(yield* inStore(store.size(key)), () => 0)
    const path = join(folder, key)
    yield* onDisk(() => mkdir(dirname(path), { recursive: true, mode: 0o700 }))
    yield* onDisk(() => writeFile(path, "", { mode: 0o600 }))
    for (let offset = 0; offset < size; offset += atOnce) {
      const part = yield* inStore(store.get(key, { offset, length: Math.min(atOnce, size - offset) }))
      yield* onDisk(() =>
        writeFile(
          path,
          Option.getOrElse(part, () => new Uint8Array()),
          { flag: "a" }
        )
      )
    }
  })

  return {
    folder,
    bodies: blobObjects.make(bodyStore, yield* blobsIn(folder)),
    archive: archiveObjects.make(yield* below("archive/"), archiveFolder.make(Files.archiveFolder(folder))),
    bodiesThere: Stream.fromIterableEffect(inStore(bodyStore.list(""))).pipe(
      Stream.map(({ key }) => key),
      Stream.grouped(portion),
      Stream.map((keys) => hashesIn([...keys]))
    ),
    take: Effect.fnUntraced(function* (path) {
      const file = join(folder, path)
      const sha256 = yield* Files.hashOfFile(file)
      const { size } = yield* onDisk(() => stat(file))
      yield* inStore(store.replace(path, { size, sha256, read: () => createReadStream(file) }, {}))
      yield* onDisk(() => rm(file))
    }),
    removeOthers: Effect.fnUntraced(function* (database) {
      const all = yield* inStore(store.list("database-"))
      const others = Arr.filter(all, ({ key }) => !key.startsWith(`${database}/`))
      yield* Effect.forEach(others, ({ key }) => inStore(store.remove(key)), {
        concurrency: 4,
        discard: true
      })
    }),
    bring: Effect.gen(function* () {
      const manifest = "backup.json"
      if (Option.isNone(yield* inStore(store.size(manifest))))
        return yield* new Files.BackupError({
          message: `s3://${bucket.bucket}/${bucket.prefix} is not a finished backup: it has no ${manifest}. Name another`
        })
      yield* bringFile(manifest)
      const { database } = yield* Files.readManifest(folder)
      for (const start of [`${database}/`, "heads/"])
        for (const { key } of yield* inStore(store.list(start))) yield* bringFile(key)
    })
  } satisfies Place
})
