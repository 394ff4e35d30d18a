/**
 * The files of the log that never change and are worth compressing, from the disk: the leaves of days and hours, documents,
 * entries. The event loop only hands portions on, so no day is too long for it.
 */
import { buffer } from "node:stream/consumers"
import { Context, Effect, Layer, Result, type Scope, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import type { Log } from "../../core/log/Log.ts"
import type { Blobs, BlobsUnavailable } from "../../core/readings/ingest/Blobs.ts"
import type { NotFound } from "../../core/wire/problems/request.ts"
import type { Unavailable } from "../../core/wire/problems/service.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { withOwnBody } from "./Body.ts"
import { Coded } from "./Coded.ts"
import { type FileContent, makeCodedFiles } from "./CodedFiles.ts"
import { immutable, unkept } from "./caching.ts"
import { codingFor } from "./coding.ts"
import { RequestState } from "./RequestState.ts"
import { reading, Spooled } from "./Spool.ts"
import { rangeOf, StoredFile } from "./StoredFile.ts"

/** What has more bytes on the disk is sent from there; the rest is kept in memory with the other answers. */
const mostInMemory = 4 * 1024 ** 2

type NotThere = BlobsUnavailable | NotFound | SqlError | Unavailable
type Content = FileContent<NotThere, ArchiveFiles | Blobs | Log | SqlClient.SqlClient>

/** A file of the log. */
interface LogFile {
  /** Its path, unique among them, e.g. `batches/2026-09-03/leaves`. */
  readonly name: string
  /** What it must hash to, lower-case hex, where the content cannot tell by itself that it is not what the log commits to. */
  readonly sha256?: string
  /** Fails unless there is such a file. */
  readonly content: Effect.Effect<Content, NotThere, ArchiveFiles | Blobs | Log | SqlClient.SqlClient>
}

/** A text as the content of a file. */
export const textFile = (contentType: string, text: string): Content => ({
  contentType,
  parts: Stream.make(text)
})

export class LogFiles extends Context.Service<
  LogFiles,
  {
    /** The file as a response: in the coding that the client prefers, or the part of it that it asks for. */
    readonly send: (
      file: LogFile
    ) => Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      NotThere,
      ArchiveFiles | Blobs | HttpServerRequest.HttpServerRequest | Log | Scope.Scope | SqlClient.SqlClient
    >
  }
>()("http/delivery/LogFiles") {
  static readonly layer = Layer.effect(
    LogFiles,
    Effect.gen(function* () {
      const { filesFolder } = yield* HttpSettings
      const files = yield* makeCodedFiles(filesFolder)

      const fromDisk = Effect.fnUntraced(function* ({ content, name, sha256 }: LogFile) {
        const { headers, method } = yield* HttpServerRequest.HttpServerRequest
        const { coding, file, form, handle } = yield* files.open(
          name,
          codingFor(headers["accept-encoding"]),
          content
        )
        const { contentType } = file
        if (sha256 !== undefined && file.sha256 !== sha256) return undefined
        if (coding === "identity") {
          const exchange = yield* RequestState
          exchange.headers = { ...exchange.headers, "accept-ranges": "bytes" }
          const range = method === "GET" ? rangeOf(headers, file) : Result.succeed(undefined)
          // Whoever asks for what is beyond the end gets the file, as one who asks for several parts does.
          const part = Result.getOrUndefined(range)
          if (part !== undefined)
            return withOwnBody(new StoredFile(file, part, reading(handle, part)), {
              status: 206,
              contentType
            })
        }
        if (form.size <= mostInMemory) {
          // biome-ignore lint/plugin/promise: a disk that refuses is a defect, which is answered with 500
          const bytes = yield* Effect.promise(() =>
            buffer(handle.createReadStream({ start: 0, autoClose: false }))
          )
          return withOwnBody(new Coded(file.sha256, coding, bytes), { contentType })
        }
        const spooled = new Spooled(
          file.sha256,
          form.size,
          reading(handle),
          coding === "identity" ? undefined : { coding, sha256: form.sha256 }
        )
        return withOwnBody(spooled, { contentType })
      })

      const fromMemory = Effect.fnUntraced(function* ({ content }: LogFile) {
        const { contentType, parts } = yield* content
        const all = yield* Stream.runCollect(parts)
        return HttpServerResponse.uint8Array(Buffer.concat(all.map((part) => Buffer.from(part))), {
          contentType
        })
      })

      return LogFiles.of({
        send: (file) =>
          Effect.flatMap(
            // A full disk does not keep anyone from reading the log.
            Effect.catchTag(fromDisk(file), "SpoolUnusable", () => fromMemory(file)),
            // What was damaged behind the service's back is shown as it is, and nobody keeps it.
            (response) =>
              response === undefined ? unkept(fromMemory(file)) : immutable(Effect.succeed(response))
          )
      })
    })
  )
}
