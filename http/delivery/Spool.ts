/**
 * Bodies that are too large to hold in memory but must be complete before they are sent: written to an unnamed file and
 * hashed along the way, then signed like any other body. The file disappears with its last reader, whatever happens.
 */
import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Context, Effect, Layer, Option, Schema, type Scope, Semaphore, Stream } from "effect"
import { HttpSettings } from "../HttpSettings.ts"
import type { ByteRange } from "./StoredFile.ts"

/** A body that is compressed in its file. */
interface CodedForm {
  readonly coding: "gzip" | "br"
  /** SHA-256 of the compressed bytes, lower-case hex. */
  readonly sha256: string
}

/** A body in its file, available until its scope ends. */
export class Spooled {
  readonly _tag = "Spooled"
  /** SHA-256 of the body before any compression, lower-case hex. */
  readonly sha256: string
  /** Of the bytes in the file. */
  readonly size: number
  readonly bytes: Stream.Stream<Uint8Array, unknown>
  /** Undefined if the file has the body as it is. */
  readonly form: CodedForm | undefined

  constructor(sha256: string, size: number, bytes: Stream.Stream<Uint8Array, unknown>, form?: CodedForm) {
    this.sha256 = sha256
    this.size = size
    this.bytes = bytes
    this.form = form
  }
}

/** The maximum number of files is in use. */
export class SpoolBusy extends Schema.TaggedError<SpoolBusy>()("SpoolBusy", {}) {}

/** The disk is full, read-only or away. */
export class SpoolUnusable extends Schema.TaggedError<SpoolUnusable>()("SpoolUnusable", {
  message: Schema.String
}) {}

/** Work on files; whatever goes wrong is the disk's. */
export const onDisk = <A>(work: () => Promise<A>): Effect.Effect<A, SpoolUnusable> =>
  Effect.tryPromise({ try: work, catch: (cause) => new SpoolUnusable({ message: String(cause) }) })

/** The most files in use per process, and how long another one waits for a slot. */
export const mostFiles = 4
export const spoolTimeout = "30 seconds"

/** A client that reads nothing for this long is disconnected, to free its slot. */
export const idle = "60 seconds"

const rowsAtOnce = 250
const bytesAtOnce = 64 * 1024

export class Spool extends Context.Service<
  Spool,
  {
    /** Writes everything, or fails with the error of the texts and leaves no file. */
    readonly write: <E, R>(
      texts: Stream.Stream<string, E, R>
    ) => Effect.Effect<Spooled, E | SpoolBusy | SpoolUnusable, R | Scope.Scope>
  }
>()("http/delivery/Spool") {
  static readonly layer = Layer.effect(
    Spool,
    Effect.gen(function* () {
      const { spoolFolder } = yield* HttpSettings
      const places = yield* Semaphore.make(mostFiles)
      yield* onDisk(() => clear(spoolFolder))
      return Spool.of({
        write: Effect.fn("Spool.write")(function* (texts) {
          yield* Semaphore.takeScoped(places, 1).pipe(
            Effect.timeoutOrElse({ duration: spoolTimeout, orElse: () => Effect.fail(new SpoolBusy()) })
          )
          const file = yield* Effect.acquireRelease(
            onDisk(() => nameless(spoolFolder)),
            // It has no name any more, and nothing of it is missed.
            (file) => Effect.ignore(onDisk(() => file.close()))
          )
          const { sha256, size } = yield* writeHashed(file, texts)
          return new Spooled(sha256, size, reading(file))
        })
      })
    })
  )
}

/** Writes texts or bytes to a file and hashes them along the way. */
export const writeHashed = Effect.fnUntraced(function* <E, R>(
  file: FileHandle,
  content: Stream.Stream<string | Uint8Array, E, R>
) {
  const hash = createHash("sha256")
  let size = 0
  yield* content.pipe(
    Stream.rechunk(rowsAtOnce),
    Stream.runForEachArray((some) =>
      onDisk(async () => {
        const bytes = Buffer.concat(some.map((part) => Buffer.from(part)))
        hash.update(bytes)
        size += bytes.length
        await file.writeFile(bytes)
      })
    )
  )
  return { sha256: hash.digest("hex"), size }
})

/** Opens a new file and unlinks it at once, so a crash can leave behind at most an empty file. */
const nameless = async (folder: string): Promise<FileHandle> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, randomUUID())
  const file = await open(path, "wx+", 0o600)
  await rm(path, { force: true })
  return file
}

const clear = async (folder: string): Promise<void> => {
  const left = await readdir(folder).catch(() => [])
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true, recursive: true })))
}

/**
 * Reuses a ring of four buffers, because fresh ones would pile up outside the heap faster than they are collected. A
 * chunk is valid until three more are read; a writer that waits for `drain` never needs more than one.
 */
export const reading = (
  file: FileHandle,
  { from, to }: ByteRange = { from: 0, to: Number.POSITIVE_INFINITY }
): Stream.Stream<Uint8Array, SpoolUnusable> =>
  Stream.suspend(() => {
    const places = Array.from({ length: 4 }, () => Buffer.allocUnsafe(bytesAtOnce))
    let turn = 0
    return Stream.paginate(from, (at) =>
      Effect.map(
        // A disk that refuses ends this one answer, whose head is out already.
        onDisk(() => file.read(places[turn++ % 4] ?? Buffer.alloc(0), 0, Math.min(bytesAtOnce, to - at), at)),
        ({ buffer, bytesRead }) =>
          bytesRead === 0
            ? ([[], Option.none()] as const)
            : ([[buffer.subarray(0, bytesRead)], Option.some(at + bytesRead)] as const)
      )
    )
  })
