/**
 * The leaves of closed days as files: written once, in portions that the database joins, and compressed once, in zlib's
 * threads. The event loop only hands portions on, so no day is too long for it. They are removed when the service starts.
 */
import { createReadStream, createWriteStream } from "node:fs"
import { mkdir, mkdtemp, open, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { createBrotliCompress, createGzip } from "node:zlib"
import { Context, Effect, Layer, type Scope, Semaphore, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { LRUCache } from "lru-cache"
import type { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import type { Log } from "../../core/log/Log.ts"
import * as Files from "../../core/log/read/files.ts"
import type { NotFound } from "../../core/wire/problems/request.ts"
import type { Unavailable } from "../../core/wire/problems/service.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { Coded } from "./Coded.ts"
import { immutable } from "./caching.ts"
import { type Coding, codingFor, options } from "./coding.ts"
import { onDisk, reading, Spooled, writeHashed } from "./Spool.ts"

const contentType = "application/x-ndjson"

/** The most bytes of all files; the least recently used are removed first. */
const mostKeptBytes = 1024 ** 3

/** A larger file is sent from the disk as it is; a smaller one is kept in memory with the other answers. */
const mostInMemory = 16 * 1024 ** 2

interface DayFile {
  readonly sha256: string
  readonly size: number
  readonly path: string
  /** The codings that the file exists in, each beside it. */
  readonly codings: Set<Coding>
}

const pathIn = (path: string, coding: Coding): string => (coding === "identity" ? path : `${path}.${coding}`)

const compress = (path: string, coding: "gzip" | "br"): Promise<void> =>
  pipeline(
    createReadStream(path),
    coding === "br" ? createBrotliCompress(options.br) : createGzip(options.gzip),
    createWriteStream(pathIn(path, coding), { mode: 0o600 })
  )

const write = Effect.fnUntraced(function* <E, R>(path: string, texts: Stream.Stream<string, E, R>) {
  const file = yield* Effect.acquireRelease(
    onDisk(() => open(path, "w", 0o600)),
    // biome-ignore lint/plugin/promise: closes what is written
    (file) => Effect.promise(() => file.close())
  )
  return yield* writeHashed(file, texts)
}, Effect.scoped)

const remove = ({ codings, path }: DayFile): void => {
  // What a full or read-only disk keeps is removed with the next start.
  for (const coding of codings) void rm(pathIn(path, coding), { force: true }).catch(() => {})
}

export class DayFiles extends Context.Service<
  DayFiles,
  {
    /** All leaves of a closed day as a response, in the coding that the client prefers. */
    readonly leaves: (
      day: string
    ) => Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      NotFound | SqlError | Unavailable,
      ArchiveFiles | HttpServerRequest.HttpServerRequest | Log | Scope.Scope | SqlClient.SqlClient
    >
  }
>()("http/delivery/DayFiles") {
  static readonly layer = Layer.effect(
    DayFiles,
    Effect.gen(function* () {
      const { spoolFolder } = yield* HttpSettings
      const files = new LRUCache<string, DayFile>({
        maxSize: mostKeptBytes,
        // The compressed forms take about a tenth each.
        sizeCalculation: ({ size }) => Math.ceil(size * 1.2) + 1,
        dispose: remove
      })
      let folder: Promise<string> | undefined
      const folderPath = async (): Promise<string> => {
        await mkdir(spoolFolder, { recursive: true, mode: 0o700 })
        return mkdtemp(join(spoolFolder, "days-"))
      }

      const find = Effect.fnUntraced(function* (day: string) {
        const existing = files.get(day)
        if (existing !== undefined) return existing
        const texts = yield* Files.leaves(day)
        const parent = yield* onDisk(() => (folder ??= folderPath()))
        const path = join(parent, `${day}.ndjson`)
        const { sha256, size } = yield* write(path, texts)
        const file: DayFile = { sha256, size, path, codings: new Set<Coding>(["identity"]) }
        files.set(day, file)
        return file
      })

      // One file is written or compressed at a time.
      const turn = yield* Semaphore.make(1)
      const prepare = Effect.fnUntraced(function* (day: string, coding: Coding) {
        const file = yield* find(day)
        if (coding !== "identity" && file.size <= mostInMemory && !file.codings.has(coding)) {
          yield* onDisk(() => compress(file.path, coding))
          file.codings.add(coding)
        }
        return file
      }, turn.withPermits(1))

      const fromDisk = Effect.fnUntraced(function* (day: string) {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const coding = codingFor(headers["accept-encoding"])
        const file = yield* prepare(day, coding)
        if (file.size > mostInMemory) {
          const handle = yield* Effect.acquireRelease(
            onDisk(() => open(file.path)),
            // biome-ignore lint/plugin/promise: closes what was read
            (handle) => Effect.promise(() => handle.close())
          )
          const body = new Spooled(file.sha256, file.size, reading(handle))
          return HttpServerResponse.raw(body, { contentType })
        }
        const bytes = yield* onDisk(() => readFile(pathIn(file.path, coding)))
        return HttpServerResponse.raw(new Coded(file.sha256, coding, bytes), { contentType })
      })

      /** A full disk does not keep anyone from reading the log. */
      const fromMemory = Effect.fnUntraced(function* (day: string) {
        const text = yield* Stream.mkString(yield* Files.leaves(day))
        return HttpServerResponse.text(text, { contentType })
      })

      return DayFiles.of({
        leaves: (day) =>
          Effect.catchTag(fromDisk(day), "SpoolUnusable", () => {
            files.delete(day)
            folder = undefined
            return fromMemory(day)
          }).pipe(immutable)
      })
    })
  )
}
