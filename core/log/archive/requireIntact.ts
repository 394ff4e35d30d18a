/**
 * Whether a stored file still has the hash under which it was published. A file is hashed when it is first read, again
 * once its place says that it may have changed, and each day, since a disk can change bytes without a word; so a damaged one is
 * never sent under the digest of the whole one.
 */
import { createHash } from "node:crypto"
import { Clock, Effect, Semaphore, Stream } from "effect"
import { ArchiveFiles, ArchiveUnavailable, keyOf } from "./ArchiveFiles.ts"

/** A published file. */
export interface Stored {
  readonly name: string
  /** Lower-case hex. */
  readonly sha256: string
  readonly bytes: number
}

interface VerifiedFiles {
  /** The stamp at which a key was whole, and when that was, in epoch milliseconds. */
  readonly whole: Map<string, { readonly stamp: string; readonly at: number }>
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

/** Remembers what is wrong with a file that is not published, or not there; undefined: nothing is. */
export const noteFault = (files: ArchiveFiles["Service"], name: string, fault: string | undefined): void => {
  const { faults } = verifiedFilesOf(files)
  if (fault === undefined) faults.delete(name)
  else faults.set(name, fault)
}

/** The same of a file of the log, by its path below `/v1/log/`; logged when it is news. */
export const noteSealed = Effect.fnUntraced(function* (path: string, fault: string | undefined) {
  const files = yield* ArchiveFiles
  const name = `/v1/log/${path}`
  const isNew = !verifiedFilesOf(files).faults.has(name)
  noteFault(files, name, fault)
  if (fault !== undefined && isNew)
    yield* Effect.logError("what is stored of the log is not what it commits to, and is not sent", {
      file: name,
      found: fault
    })
})

/**
 * Succeeds if the file is there and whole; fails with what is wrong and remembers it. What was found whole before `since`, in
 * epoch milliseconds, is hashed again even if nothing says that it has changed.
 */
export const requireIntact = Effect.fn("archive.requireIntact")(function* (
  files: ArchiveFiles["Service"],
  file: Stored,
  since = Number.NEGATIVE_INFINITY
) {
  const { faults, turn, whole } = verifiedFilesOf(files)
  const key = keyOf(file.name, file.sha256)
  const look = Effect.gen(function* () {
    const stamp = yield* files.stamp(key)
    const last = whole.get(key)
    if (last?.stamp === stamp && last.at >= since) return
    const hash = createHash("sha256")
    yield* Stream.runForEach(files.read(key, 0, file.bytes), (part) => Effect.sync(() => hash.update(part)))
    if (hash.digest("hex") !== file.sha256) {
      return yield* new ArchiveUnavailable({
        message: `the archive's file ${key} is damaged: its bytes do not have the hash that the log commits to`
      })
    }
    whole.set(key, { stamp, at: yield* Clock.currentTimeMillis })
  })
  yield* turn
    .withPermits(1)(look)
    .pipe(
      Effect.tap(() => Effect.sync(() => faults.delete(file.name))),
      Effect.tapError((error) =>
        Effect.sync(() => {
          if (error instanceof ArchiveUnavailable) faults.set(file.name, error.message)
        })
      )
    )
})
