/** `ArchiveFiles` as objects of a bucket, under their keys. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Option, Stream } from "effect"
import { ArchiveFiles, ArchiveUnavailable, type Content } from "../../core/log/archive/ArchiveFiles.ts"
import type { ObjectStore, ObjectStoreError } from "../outside/objectStore.ts"

/** Bytes that are read or written at once. */
const atOnce = 4 * 2 ** 20

const unavailable = ({ message }: ObjectStoreError) => new ArchiveUnavailable({ message })

/** The offsets of the parts of a range. */
const partsOf = function* (from: number, to: number) {
  for (let at = from; at < to; at += atOnce) yield { offset: at, length: Math.min(atOnce, to - at) }
}

/** Files go into the store. Those in `earlier`, from before there was a store, are still read there. */
export const make = (store: ObjectStore, earlier: ArchiveFiles["Service"]): ArchiveFiles["Service"] =>
  ArchiveFiles.of({
    folder: undefined,
    holdsToHashes: true,
    put: Effect.fn("archive.put")(function* (key: string, content: Content) {
      // A file is sent at most once: a store may read all of it before it says that the key is taken.
      if (Option.isSome(yield* store.size(key).pipe(Effect.mapError(unavailable)))) return
      const { bytes, read, sha256 } = content
      yield* store
        .put(key, {
          size: bytes,
          sha256,
          read: () =>
            NodeStream.toReadableNever(
              Stream.fromIterable(partsOf(0, bytes)).pipe(
                Stream.mapEffect(({ length, offset }) => read(offset, offset + length))
              )
            )
        })
        .pipe(Effect.mapError(unavailable))
    }),
    read: (key, from, to) =>
      Stream.unwrap(
        Effect.map(Effect.mapError(store.size(key), unavailable), (size) =>
          Option.isNone(size)
            ? earlier.read(key, from, to)
            : Stream.fromIterable(partsOf(from, to)).pipe(
                Stream.mapEffect((part) =>
                  Effect.flatMap(Effect.mapError(store.get(key, part), unavailable), (bytes) =>
                    Option.isSome(bytes) && bytes.value.length === part.length
                      ? Effect.succeed(bytes.value)
                      : new ArchiveUnavailable({
                          message: `the object ${key} in ARCHIVE_URL ends before byte ${part.offset + part.length}; replace it from a backup or a mirror`
                        })
                  )
                )
              )
        )
      ),
    // The store checks the hash of what it is given, and keeps it.
    stamp: (key) =>
      Effect.flatMap(Effect.mapError(store.size(key), unavailable), (size) =>
        Option.isNone(size) ? earlier.stamp(key) : Effect.succeed(String(size.value))
      ),
    // A bucket that keeps versions keeps the damaged one.
    setAside: (key) =>
      Effect.flatMap(Effect.mapError(store.size(key), unavailable), (size) =>
        Option.isNone(size) ? earlier.setAside(key) : Effect.mapError(store.remove(key), unavailable)
      ),
    list: Effect.gen(function* () {
      const sizes = new Map(yield* earlier.list)
      for (const { key, size } of yield* Effect.mapError(store.list(""), unavailable)) {
        if (key.endsWith(".parquet")) sizes.set(key, size)
      }
      return sizes
    })
  })
