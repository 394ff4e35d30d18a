/** `Blobs` as objects `ab/<sha256>.zst` of a bucket, under the names that `blobFiles.ts` gives to files. */
import { Effect, Option } from "effect"
import { Blobs, BlobsUnavailable } from "../../core/readings/ingest/Blobs.ts"
import type { ObjectStore, ObjectStoreError } from "../outside/objectStore.ts"
import { faultOfBody } from "./verifiedBody.ts"

/** Requests of one call under way at once; the store itself bounds those of all calls. */
const concurrency = 16
const keyOf = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256}.zst`

const unavailable = ({ message }: ObjectStoreError) => new BlobsUnavailable({ message })

/** Fails unless these compressed bytes are the body of that hash: whoever may write the bucket could have replaced them. */
const verified = Effect.fnUntraced(function* (sha256: string, compressed: Uint8Array) {
  const fault = yield* faultOfBody(sha256, compressed)
  if (fault === undefined) return compressed
  return yield* new BlobsUnavailable({
    message: `the object ${keyOf(sha256)} in BLOBS_URL is not the body that was stored: ${fault}; replace it from a backup`
  })
})

/** Bodies go into the store. Those in `earlier`, from before there was a store, are still found there, and removed there. */
export const make = (store: ObjectStore, earlier: Blobs["Service"]): Blobs["Service"] =>
  Blobs.of({
    put: (sha256, compressed) =>
      store.put(keyOf(sha256), compressed).pipe(Effect.mapError(unavailable), Effect.asVoid),
    get: (sha256) =>
      store.get(keyOf(sha256)).pipe(
        Effect.mapError(unavailable),
        Effect.flatMap(
          Option.match({
            onNone: () => earlier.get(sha256),
            onSome: (compressed) => Effect.asSome(verified(sha256, compressed))
          })
        )
      ),
    stored: Effect.fnUntraced(function* (hashes) {
      const there = yield* Effect.filter(
        hashes,
        (sha256) => Effect.map(store.size(keyOf(sha256)), Option.isSome),
        { concurrency }
      ).pipe(Effect.mapError(unavailable))
      const present = new Set(there)
      const rest = hashes.filter((sha256) => !present.has(sha256))
      return rest.length === 0 ? present : present.union(yield* earlier.stored(rest))
    }),
    remove: (hashes) =>
      Effect.forEach(hashes, (sha256) => store.remove(keyOf(sha256)), { concurrency, discard: true }).pipe(
        Effect.mapError(unavailable),
        Effect.andThen(earlier.remove(hashes))
      )
  })
