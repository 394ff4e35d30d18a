/**
 * Files that never change, on the disk in every coding: written once, compressed once, in zlib's threads, and kept when the
 * service starts again. A file is hashed when this process first uses it, once its stamp says that it may have changed, and
 * after a day; one that is not what it was is not sent.
 */
import { createHash, randomUUID } from "node:crypto"
import { createReadStream, createWriteStream, type Stats } from "node:fs"
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { PassThrough } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createBrotliCompress, createBrotliDecompress, createGunzip, createGzip } from "node:zlib"
import { Clock, Effect, Semaphore, type Stream } from "effect"
import { LRUCache } from "lru-cache"
import { day as dayMs, hour } from "../../core/plugin/time.ts"
import { type Coding, options } from "./coding.ts"
import { onDisk, SpoolUnusable, writeHashed } from "./Spool.ts"

/** The most bytes of all files; the least recently used are removed first. */
const mostBytes = 1024 ** 3

/** Below this size there is no other form: it would save less than its header costs. */
const smallest = 1024

/** A file in one coding, as it was found whole. */
interface Form {
  readonly path: string
  readonly size: number
  /** SHA-256 of the bytes on the disk, lower-case hex. */
  readonly sha256: string
  /** Other than this if the bytes may have changed since. */
  readonly stamp: string
  /** When it was found whole, in epoch milliseconds. */
  readonly at: number
}

/** A file that is on the disk. */
interface KeptFile {
  readonly contentType: string
  /** SHA-256 of the file as it is, lower-case hex. */
  readonly sha256: string
  readonly size: number
  readonly path: string
  readonly forms: Map<Coding, Form>
}

/** A form that is open, and whole. */
interface OpenForm {
  readonly handle: FileHandle
  readonly coding: Coding
  readonly form: Form
}

const stampOf = ({ ctimeMs, ino, mtimeMs, size }: Stats): string => `${ino} ${size} ${mtimeMs} ${ctimeMs}`

const endings = { identity: "", gzip: ".gz", br: ".br" } as const

const pathIn = ({ path }: Pick<KeptFile, "path">, coding: Coding): string => path + endings[coding]

const encoders = { gzip: () => createGzip(options.gzip), br: () => createBrotliCompress(options.br) }
const decoders = { gzip: createGunzip, br: createBrotliDecompress }

/** The form at the place of a file, if that is what it decodes to; undefined if it is away or something else. */
const examined = async (file: KeptFile, coding: Coding, at: number): Promise<Form | undefined> => {
  const path = pathIn(file, coding)
  const [coded, whole] = [createHash("sha256"), createHash("sha256")]
  const decoding = coding === "identity" ? new PassThrough() : decoders[coding]()
  let size = 0
  try {
    const before = stampOf(await stat(path))
    await pipeline(
      createReadStream(path),
      async function* (parts: AsyncIterable<Buffer>) {
        for await (const part of parts) {
          coded.update(part)
          yield part
        }
      },
      decoding,
      async (parts: AsyncIterable<Buffer>) => {
        for await (const part of parts) {
          size += part.length
          if (size > file.size) throw new Error("it is longer than the file")
          whole.update(part)
        }
      }
    )
    const after = await stat(path)
    // A decoder passes over what follows the end.
    const isAll = !("bytesWritten" in decoding) || decoding.bytesWritten === after.size
    if (!isAll || whole.digest("hex") !== file.sha256 || stampOf(after) !== before) return undefined
    return { path, size: after.size, sha256: coded.digest("hex"), stamp: before, at }
  } catch {
    // Whatever is wrong with it, it is made again.
    return undefined
  }
}

/** Writes under another name first, so that a crash leaves nothing that could be taken for the file. */
const writeForm = async (file: KeptFile, coding: "gzip" | "br"): Promise<void> => {
  const path = pathIn(file, coding)
  const half = `${path}.${randomUUID()}.part`
  try {
    await pipeline(createReadStream(file.path), encoders[coding](), createWriteStream(half, { mode: 0o600 }))
    await rename(half, path)
  } finally {
    await rm(half, { force: true })
  }
}

const remove = (file: KeptFile): void => {
  // What a full or read-only disk keeps is removed with the next start.
  for (const coding of ["identity", "gzip", "br"] as const) {
    void rm(pathIn(file, coding), { force: true }).catch(() => {})
  }
}

/** Removes what is over the bound, the oldest first, and what a killed process left half written. */
const trim = async (folder: string, now: number): Promise<void> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files: Array<{ path: string; size: number; mtimeMs: number }> = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const { mtimeMs, size } = await stat(path).catch(() => ({ mtimeMs: 0, size: 0 }))
    if (path.endsWith(".part") && mtimeMs < now - hour) await rm(path, { force: true })
    else files.push({ path, size, mtimeMs })
  }
  let bytes = files.reduce((sum, { size }) => sum + size, 0)
  for (const { path, size } of files.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (bytes <= mostBytes) return
    await rm(path, { force: true })
    bytes -= size
  }
}

/** The form of a file, open, if it is as this process found it within a day. */
const opened = Effect.fnUntraced(
  function* (file: KeptFile, coding: Coding, now: number) {
    const form = file.forms.get(coding)
    if (form === undefined || form.at <= now - dayMs) return undefined
    const handle = yield* Effect.acquireRelease(
      onDisk(() => open(form.path)),
      (handle) => Effect.ignore(onDisk(() => handle.close()))
    )
    const stamp = stampOf(yield* onDisk(() => handle.stat()))
    return stamp === form.stamp ? ({ coding, form, handle } satisfies OpenForm) : undefined
  },
  Effect.orElseSucceed(() => undefined)
)

/** Looks at a form, and makes it where it is away or damaged; false if the file itself is. */
const prepared = Effect.fnUntraced(function* (file: KeptFile, coding: Coding, now: number) {
  let form = yield* onDisk(() => examined(file, coding, now))
  if (form === undefined && file.forms.has(coding))
    yield* Effect.logWarning("a file was damaged on the disk, and is made again", {
      path: pathIn(file, coding)
    })
  if (form === undefined && coding !== "identity") {
    if ((yield* onDisk(() => examined(file, "identity", now))) === undefined) return false
    yield* onDisk(() => writeForm(file, coding))
    form = yield* onDisk(() => examined(file, coding, now))
  }
  if (form !== undefined) file.forms.set(coding, form)
  return form !== undefined
})

/** What a file is made of. */
export interface FileContent<E, R> {
  readonly contentType: string
  readonly parts: Stream.Stream<string | Uint8Array, E, R>
}

/** The files of a folder. They are written, compressed and hashed one at a time; what is ready does not wait. */
export const makeCodedFiles = Effect.fnUntraced(function* (folder: string) {
  const files = new LRUCache<string, KeptFile>({
    maxSize: mostBytes,
    // The compressed forms take about a tenth each.
    sizeCalculation: ({ size }) => Math.ceil(size * 1.2) + 1,
    noDisposeOnSet: true,
    dispose: remove
  })
  const turn = yield* Semaphore.make(1)
  const now = yield* Clock.currentTimeMillis
  yield* Effect.ignore(onDisk(() => trim(folder, now)))

  /** What the name had before, if that was something else, is removed by a later start. */
  const write = Effect.fnUntraced(function* <E, R>(name: string, { contentType, parts }: FileContent<E, R>) {
    const path = join(folder, name)
    const half = `${path}.${randomUUID()}.part`
    yield* onDisk(() => mkdir(dirname(path), { recursive: true, mode: 0o700 }))
    yield* Effect.addFinalizer(() => Effect.ignore(onDisk(() => rm(half, { force: true }))))
    const handle = yield* Effect.acquireRelease(
      onDisk(() => open(half, "wx", 0o600)),
      (handle) => Effect.ignore(onDisk(() => handle.close()))
    )
    const { sha256, size } = yield* writeHashed(handle, parts)
    const file: KeptFile = { contentType, sha256, size, path: `${path}.${sha256}`, forms: new Map() }
    yield* onDisk(() => rename(half, file.path))
    files.set(name, file)
    return file
  }, Effect.scoped)

  const coded = (file: KeptFile, coding: Coding): Coding => (file.size < smallest ? "identity" : coding)

  const ready = Effect.fnUntraced(function* (name: string, coding: Coding, at: number) {
    const file = files.get(name)
    const form = file && (yield* opened(file, coded(file, coding), at))
    return file && form && { file, ...form }
  })

  /**
   * A file in that coding, or as it is if it is small, open until the scope ends. Where the disk has no whole one, `content` is asked for:
   * it must fail unless there is a file of that name, which becomes a path.
   */
  const openForm = Effect.fn("CodedFiles.openForm")(function* <E, R>(
    name: string,
    coding: Coding,
    content: Effect.Effect<FileContent<E, R>, E, R>
  ) {
    const at = yield* Clock.currentTimeMillis
    const there = yield* ready(name, coding, at)
    if (there !== undefined) return there
    const make = Effect.gen(function* () {
      const meanwhile = yield* ready(name, coding, at)
      if (meanwhile !== undefined) return meanwhile
      const earlier = files.get(name)
      const isSound = earlier !== undefined && (yield* prepared(earlier, coded(earlier, coding), at))
      const file = isSound ? earlier : yield* write(name, yield* content)
      if (!isSound) yield* prepared(file, coded(file, coding), at)
      return (
        (yield* ready(name, coding, at)) ??
        (yield* new SpoolUnusable({ message: `${file.path} is not what was written` }))
      )
    })
    return yield* turn.withPermits(1)(make)
  })

  return { open: openForm }
})
