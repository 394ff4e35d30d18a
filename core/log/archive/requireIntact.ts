/**
 * Whether a stored file still has the hash under which it was published. A file is hashed when it is first read, and again
 * once its place says that it may have changed; so a damaged one is never sent under the digest of the whole one.
 */
import { createHash } from "node:crypto"
import { Effect, Semaphore, Stream } from "effect"
import { type ArchiveFiles, ArchiveUnavailable, keyOf } from "./ArchiveFiles.ts"

/** A published file. */
export interface Stored {
  readonly name: string
  /** Lower-case hex. */
  readonly sha256: string
  readonly bytes: number
}

interface VerifiedFiles {
  /** The stamp at which a key was whole. */
  readonly whole: Map<string, string>
  /** Files that are away or damaged, by name. */
  readonly faults: Map<string, string>
  readonly turn: Semaphore.Semaphore
}

const verifiedFiles = new WeakMap<ArchiveFiles["Service"], VerifiedFiles>()

const verifiedFilesOf = (files: ArchiveFiles["Service"]): VerifiedFiles => {
  const there = verifiedFiles.get(files)
  if (there !== undefined) return there
  const fresh: VerifiedFiles = { whole: new Map(), faults: new Map(), turn: Semaphore.makeUnsafe(1) }
  verifiedFiles.set(files, fresh)
  return fresh
}

/** What was found wrong since this process started, by the name of the file; empty while all is well. */
export const faultsOf = (files: ArchiveFiles["Service"]): ReadonlyMap<string, string> =>
  verifiedFilesOf(files).faults

/** Succeeds if the file is there and whole; fails with what is wrong and remembers it. */
export const requireIntact = Effect.fn("archive.requireWhole")(function* (
  files: ArchiveFiles["Service"],
  file: Stored
) {
  const { faults, turn, whole } = verifiedFilesOf(files)
  const key = keyOf(file.name, file.sha256)
  const look = Effect.gen(function* () {
    const stamp = yield* files.stamp(key)
    if (whole.get(key) === stamp) return
    const hash = createHash("sha256")
    yield* Stream.runForEach(files.read(key, 0, file.bytes), (part) => Effect.sync(() => hash.update(part)))
    if (hash.digest("hex") !== file.sha256) {
      return yield* new ArchiveUnavailable({
        message: `the archive's file ${key} is damaged: its bytes do not have the hash that the log commits to`
      })
    }
    whole.set(key, stamp)
    faults.delete(file.name)
  })
  yield* turn
    .withPermits(1)(look)
    .pipe(
      Effect.tapError((error) =>
        Effect.sync(() => {
          if (error instanceof ArchiveUnavailable) faults.set(file.name, error.message)
        })
      )
    )
})
