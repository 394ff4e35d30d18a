/**
 * Bodies that are made before they are sent and are too large to be held: written into a file without a name, counted
 * and hashed on the way, then signed as every body is. Whatever happens, the file is gone with its last reader.
 */
import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Context, Effect, Layer, Option, Schema, type Scope, Semaphore, Stream } from "effect"
import { Settings } from "../Settings.ts"

/** A body that waits in its file until the scope that it was made in ends. */
export class Spooled {
  /** SHA-256 of the bytes, lower-case hex. */
  readonly sha256: string
  readonly size: number
  readonly bytes: Stream.Stream<Uint8Array>

  constructor(sha256: string, size: number, bytes: Stream.Stream<Uint8Array>) {
    this.sha256 = sha256
    this.size = size
    this.bytes = bytes
  }
}

/** As many files as may be are being made or sent. */
export class SpoolBusy extends Schema.TaggedError<SpoolBusy>()("SpoolBusy", {}) {}

/** The disk is full, read-only or away. */
export class SpoolUnusable extends Schema.TaggedError<SpoolUnusable>()("SpoolUnusable", {
  message: Schema.String
}) {}

const onDisk = <A>(work: () => Promise<A>): Effect.Effect<A, SpoolUnusable> =>
  Effect.tryPromise({ try: work, catch: (cause) => new SpoolUnusable({ message: String(cause) }) })

/** Files of one process at one time, made or being sent, and how long one more waits for its turn. */
export const mostFiles = 4
export const patience = "30 seconds"

/** A reader that takes nothing for this long is cut off: it would keep its place from the others. */
export const idle = "60 seconds"

const rowsAtOnce = 250
const bytesAtOnce = 64 * 1024

export class Spool extends Context.Service<
  Spool,
  {
    /** Writes all of it, or fails with what the texts fail with and leaves nothing. */
    readonly write: <E, R>(
      texts: Stream.Stream<string, E, R>
    ) => Effect.Effect<Spooled, E | SpoolBusy | SpoolUnusable, R | Scope.Scope>
  }
>()("http/delivery/Spool") {
  static readonly layer = Layer.effect(
    Spool,
    Effect.gen(function* () {
      const { spoolFolder } = yield* Settings
      const places = yield* Semaphore.make(mostFiles)
      yield* onDisk(() => clear(spoolFolder))
      return Spool.of({
        write: Effect.fn("Spool.write")(function* (texts) {
          yield* Semaphore.takeScoped(places, 1).pipe(
            Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(new SpoolBusy()) })
          )
          const file = yield* Effect.acquireRelease(
            onDisk(() => nameless(spoolFolder)),
            // biome-ignore lint/plugin/promise: closes what has no name any more
            (file) => Effect.promise(() => file.close())
          )
          const hash = createHash("sha256")
          let size = 0
          yield* texts.pipe(
            Stream.rechunk(rowsAtOnce),
            Stream.runForEachArray((some) =>
              onDisk(async () => {
                const bytes = Buffer.from(some.join(""))
                hash.update(bytes)
                size += bytes.length
                await file.writeFile(bytes)
              })
            )
          )
          return new Spooled(hash.digest("hex"), size, reading(file))
        })
      })
    })
  )
}

/** Opens a new file and takes its name away at once: no crash can leave more behind than an empty file. */
const nameless = async (folder: string): Promise<FileHandle> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, randomUUID())
  const file = await open(path, "wx+", 0o600)
  await rm(path, { force: true })
  return file
}

const clear = async (folder: string): Promise<void> => {
  const left = await readdir(folder).catch(() => [])
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })))
}

/**
 * A chunk is good until three more are asked for: the places are used again, since fresh ones would pile up outside of
 * the heap faster than they are collected. A writer that waits for `drain` never has more than one on its way.
 */
const reading = (file: FileHandle): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => {
    const places = Array.from({ length: 4 }, () => Buffer.allocUnsafe(bytesAtOnce))
    let turn = 0
    return Stream.paginate(0, (at) =>
      Effect.map(
        // biome-ignore lint/plugin/promise: a disk that refuses ends this one answer, whose head is out already
        Effect.promise(() => file.read(places[turn++ % 4] ?? Buffer.alloc(0), 0, bytesAtOnce, at)),
        ({ buffer, bytesRead }) =>
          bytesRead === 0
            ? ([[], Option.none()] as const)
            : ([[buffer.subarray(0, bytesRead)], Option.some(at + bytesRead)] as const)
      )
    )
  })
