/** The folder or the bucket that a backup is made in, or restored from. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Config, Effect, Option } from "effect"
import { bucketPlace, folderPlace } from "../backup/place.ts"
import { UsageError } from "../cli/usage.ts"
import { onDisk } from "../outside/disk.ts"
import { bucketConfig, bucketOf } from "../settings/bucket.ts"

export const isBucket = (where: string): boolean => where.startsWith("s3://")

/** Whole, so that another process finds it. */
export const wholeName = (where: string): string => (isBucket(where) ? where : resolve(where))

/** A bucket has a scratch folder on this machine until the scope ends. */
export const placeAt = Effect.fnUntraced(function* (where: string) {
  if (!isBucket(where)) return yield* folderPlace(resolve(where))
  const bucket = yield* bucketOf("backup", Option.some(where), yield* Config.all(bucketConfig)).pipe(
    Effect.mapError((message) => new UsageError({ message }))
  )
  const scratch = yield* Effect.acquireRelease(
    onDisk(() => mkdtemp(join(tmpdir(), "plumbline-backup-"))),
    (folder) => Effect.ignore(onDisk(() => rm(folder, { recursive: true, force: true })))
  )
  return yield* bucketPlace(Option.getOrThrow(bucket), scratch)
})
