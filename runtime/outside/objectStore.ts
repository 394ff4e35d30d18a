/** Objects in a bucket of S3 or of another store that speaks its protocol, each written once and never changed. */
import { Readable } from "node:stream"
import { Clock, Duration, Effect, Option, Schedule, Schema, Semaphore } from "effect"
import { type BoundedResponse, sendBounded } from "./boundedRequest.ts"
import { type AccessKey, sha256Of, signedHeaders } from "./sigv4.ts"

/** The store refused a request or did not answer. The message names the object, the reason and what to do. */
export class ObjectStoreError extends Schema.TaggedError<ObjectStoreError>()("ObjectStoreError", {
  message: Schema.String
}) {}

/** What is written, when it is too long for the memory. The store checks it against its hash. */
export interface LongBody {
  readonly size: number
  /** Lower-case hex. */
  readonly sha256: string
  /** All of it, from the beginning: once for each try. */
  readonly read: () => Readable
}

/** Where the objects are, and the key that may read and write them. */
export interface Bucket extends AccessKey {
  readonly bucket: string
  /** Comes before every key; empty, or ends in a slash. */
  readonly prefix: string
  /** Address of a store other than Amazon's. */
  readonly endpoint: Option.Option<URL>
  /** True if the bucket is the first part of the path, false if it is the first part of the host name. */
  readonly pathStyle: boolean
}

export interface ObjectStore {
  /**
   * Writes an object that is not there yet, and never overwrites one. `false` if there is one: perhaps this very object,
   * when an earlier try arrived and its answer was lost.
   */
  readonly put: (key: string, body: LongBody | Uint8Array) => Effect.Effect<boolean, ObjectStoreError>
  /** Writes an object in the place of one that may be there, with these headers of its own. */
  readonly replace: (
    key: string,
    body: LongBody,
    headers: Readonly<Record<string, string>>
  ) => Effect.Effect<void, ObjectStoreError>
  /** The object, or `length` bytes of it from `offset`; none if there is no such object. */
  readonly get: (
    key: string,
    range?: { readonly offset: number; readonly length: number }
  ) => Effect.Effect<Option.Option<Uint8Array>, ObjectStoreError>
  /** Bytes of the object; none if there is no such object. */
  readonly size: (key: string) => Effect.Effect<Option.Option<number>, ObjectStoreError>
  /** The objects whose keys begin so, by key; at most `most` of them. */
  readonly list: (
    start: string,
    most?: number
  ) => Effect.Effect<ReadonlyArray<{ readonly key: string; readonly size: number }>, ObjectStoreError>
  /** Removes the object, if it is there. */
  readonly remove: (key: string) => Effect.Effect<void, ObjectStoreError>
}

/** Requests under way at once, so that a burst of runs does not open hundreds of connections. */
const atOnce = 16
/** Bytes of the longest object that is read. */
const longest = 512 * 2 ** 20
/** For one try; a large object on a slow line, of a MiB per second, needs a while. */
const timeoutFor = ({ body }: Request) => Duration.seconds(60 + (body?.size ?? 0) / 2 ** 20)
/** Waits of 0.2, 0.4, 0.8, 1.6 and 3.2 seconds, each up to a fifth shorter or longer. */
const again = Schedule.exponential("200 millis").pipe(Schedule.jittered, Schedule.upTo({ times: 5 }))
/** Codes of answers after which another try may succeed, besides those of status 429 and 5xx. */
const passing = new Set(["ConditionalRequestConflict", "OperationAborted", "RequestTimeout", "SlowDown"])

/** An answer after which another try may succeed, or none at all. */
class Passing extends Schema.TaggedError<Passing>()("Passing", { message: Schema.String }) {}

interface Request {
  readonly method: "DELETE" | "GET" | "HEAD" | "PUT"
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: LongBody
}

const long = (bytes: Uint8Array): LongBody => ({
  size: bytes.length,
  sha256: sha256Of(bytes),
  read: () => Readable.from([bytes], { objectMode: false })
})

/** The address of the bucket, with a slash at its end. */
const addressOf = ({ bucket, endpoint, pathStyle, region }: Bucket): URL => {
  const base = Option.getOrElse(endpoint, () => new URL(`https://s3.${region}.amazonaws.com`))
  const path = base.pathname.replace(/\/*$/, "/")
  return pathStyle
    ? new URL(`${base.origin}${path}${bucket}/`)
    : new URL(`${base.protocol}//${bucket}.${base.host}${path}`)
}

const encoded = (key: string): string => key.split("/").map(encodeURIComponent).join("/")

/** The first element of that name. Keys are asked for in URL coding, and the rest holds no markup. */
const element = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]

/** What an operator can do about a refusal, by the code of the store. */
const adviceOn = (code: string | undefined, { bucket, region }: Bucket): string => {
  switch (code) {
    case "SignatureDoesNotMatch":
      return "; correct AWS_SECRET_ACCESS_KEY"
    case "InvalidAccessKeyId":
      return "; correct AWS_ACCESS_KEY_ID"
    case "AccessDenied":
      return "; allow the key to list the bucket and to get, put and delete its objects"
    case "NoSuchBucket":
      return `; create the bucket ${bucket}, or correct the name`
    case "RequestTimeTooSkewed":
      return "; set this machine's clock"
    case "AuthorizationHeaderMalformed":
    case "PermanentRedirect":
      return `; correct AWS_REGION (${region})`
    default:
      return ""
  }
}

export const make = (place: Bucket): Effect.Effect<ObjectStore> =>
  Effect.gen(function* () {
    const limit = yield* Semaphore.make(atOnce)
    const address = addressOf(place)
    const nameOf = (key: string) => `s3://${place.bucket}/${key}`

    const urlOf = ({ key, query }: Request): URL => {
      const url = new URL(encoded(key), address)
      for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
      return url
    }

    /** Sends the request until an answer is final, and gives that with the code of a refusal. */
    const send = (request: Request) =>
      Effect.gen(function* () {
        const url = urlOf(request)
        const { body, method } = request
        const headers = yield* signedHeaders(
          { method, url, headers: request.headers, sha256: body?.sha256 },
          place,
          yield* Clock.currentTimeMillis
        )
        const answer = yield* sendBounded({
          method,
          url: url.href,
          headers: body === undefined ? headers : { ...headers, "content-length": String(body.size) },
          ...(body === undefined ? {} : { body: body.read() }),
          most: longest,
          timeout: timeoutFor(request)
        }).pipe(Effect.mapError(({ message }) => new Passing({ message })))
        const code = answer.status < 300 ? undefined : element(Buffer.from(answer.body).toString(), "Code")
        const final = answer.status === 501 || (answer.status < 500 && answer.status !== 429)
        if (final && !passing.has(code ?? "")) return { ...answer, code }
        return yield* new Passing({ message: `HTTP ${answer.status}${code === undefined ? "" : ` ${code}`}` })
      }).pipe(
        limit.withPermits(1),
        Effect.retry(again),
        Effect.mapError(
          ({ message }) =>
            new ObjectStoreError({
              message: `${nameOf(request.key)}: ${message}, ${request.method} tried 6 times`
            })
        ),
        Effect.withSpan("ObjectStore.send", { attributes: { method: request.method } })
      )

    const refused = (
      request: Request,
      { code, status }: BoundedResponse & { readonly code: string | undefined }
    ) =>
      new ObjectStoreError({
        message: `${nameOf(request.key)}: the store refused ${request.method} (HTTP ${status}${code === undefined ? "" : ` ${code}`})${adviceOn(code, place)}`
      })

    /** A missing bucket is an error, a missing object an answer. HEAD has no body, so it cannot say which. */
    const missing = ({ code, status }: { readonly code: string | undefined; readonly status: number }) =>
      status === 404 && code !== "NoSuchBucket"

    const size = Effect.fn("ObjectStore.size")(function* (key: string) {
      const request: Request = { method: "HEAD", key: place.prefix + key }
      const answer = yield* send(request)
      if (missing(answer)) return Option.none()
      const length = Number(answer.headers["content-length"])
      if (answer.status !== 200 || !Number.isInteger(length)) return yield* refused(request, answer)
      return Option.some(length)
    })

    const put = Effect.fn("ObjectStore.put")(function* (key: string, content: LongBody | Uint8Array) {
      const body = content instanceof Uint8Array ? long(content) : content
      const plain: Request = { method: "PUT", key: place.prefix + key, body }
      const conditional: Request = { ...plain, headers: { "if-none-match": "*" } }
      const answer = yield* send(conditional)
      if (answer.status === 200) return true
      if (answer.status === 412) return false
      // Some stores do not support conditional writes. Between this look and the write another writer may come first.
      if (answer.status !== 501) return yield* refused(conditional, answer)
      if (Option.isSome(yield* size(key))) return false
      const written = yield* send(plain)
      return written.status === 200 ? true : yield* refused(plain, written)
    })

    const replace = Effect.fn("ObjectStore.replace")(function* (
      key: string,
      body: LongBody,
      headers: Readonly<Record<string, string>>
    ) {
      const request: Request = { method: "PUT", key: place.prefix + key, body, headers }
      const answer = yield* send(request)
      if (answer.status !== 200) return yield* refused(request, answer)
    })

    const get = Effect.fn("ObjectStore.get")(function* (
      key: string,
      range?: { readonly offset: number; readonly length: number }
    ) {
      const headers =
        range === undefined ? {} : { range: `bytes=${range.offset}-${range.offset + range.length - 1}` }
      const request: Request = { method: "GET", key: place.prefix + key, headers }
      const answer = yield* send(request)
      if (missing(answer)) return Option.none()
      // A store that ignores the range would send everything, which must not pass for a part.
      if (answer.status !== (range === undefined ? 200 : 206)) return yield* refused(request, answer)
      return Option.some(answer.body)
    })

    const list = Effect.fn("ObjectStore.list")(function* (start: string, most = Number.POSITIVE_INFINITY) {
      const objects: Array<{ readonly key: string; readonly size: number }> = []
      let token: string | undefined
      do {
        const request: Request = {
          method: "GET",
          key: "",
          query: {
            "list-type": "2",
            "encoding-type": "url",
            "max-keys": String(Math.min(1000, most - objects.length)),
            prefix: place.prefix + start,
            ...(token === undefined ? {} : { "continuation-token": token })
          }
        }
        const answer = yield* send(request)
        if (answer.status !== 200) return yield* refused(request, answer)
        const xml = Buffer.from(answer.body).toString()
        for (const [, contents = ""] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          const key = decodeURIComponent((element(contents, "Key") ?? "").replaceAll("+", " "))
          objects.push({ key: key.slice(place.prefix.length), size: Number(element(contents, "Size")) })
        }
        token = element(xml, "NextContinuationToken")
      } while (token !== undefined && objects.length < most)
      return objects
    })

    const remove = Effect.fn("ObjectStore.remove")(function* (key: string) {
      const request: Request = { method: "DELETE", key: place.prefix + key }
      const answer = yield* send(request)
      if (answer.status >= 300 && !missing(answer)) return yield* refused(request, answer)
    })

    return { put, replace, get, size, list, remove }
  })
