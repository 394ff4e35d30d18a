/** Sends what is not in memory: files, parts of files, and streams that stay open. */
import { Effect, Stream } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"
import type { OpenStream } from "../stream/OpenStream.ts"
import { abortOnStall } from "./abortOnStall.ts"
import { type Content, digestOf, isConfirmed, makeAnswer } from "./answer.ts"
import { headersBesideContent } from "./Body.ts"
import { type CountedCall, isKeyed } from "./Call.ts"
import type { DeliveryContext } from "./DeliveryContext.ts"
import type { Verdict } from "./RateLimits.ts"
import { idle, Spooled } from "./Spool.ts"
import { type StoredFile, tagOf } from "./StoredFile.ts"
import { headerRecord, responseOf } from "./sendInMemory.ts"

/** Streams the bytes from their file; everything else works as for any response. */
export const sendSpooled = (
  response: HttpServerResponse.HttpServerResponse,
  { bytes, form, sha256, size }: Spooled,
  call: CountedCall,
  delivery: DeliveryContext
): HttpServerResponse.HttpServerResponse => {
  const none = new Uint8Array()
  const contentType = response.headers["content-type"]
  const content: Content = {
    status: response.status,
    contentType,
    body: none,
    sha256,
    headers: {
      ...headersBesideContent(response),
      "content-length": String(size),
      ...(form === undefined ? {} : { "content-digest": digestOf(form.sha256) })
    }
  }
  const answer = makeAnswer(
    content,
    { coding: form?.coding ?? "identity", bytes: none },
    isKeyed(call),
    delivery.common
  )
  const reply = responseOf(answer, call, delivery)
  return reply.status === answer.status ? streamed(reply, bytes, size, call) : reply
}

/**
 * Streams a file that never changes, or the part that was asked for. A part is not signed: it would have to be read twice,
 * and whoever reads parts wants few of them. `Repr-Digest` has the hash of the whole.
 */
export const sendFile = (
  response: HttpServerResponse.HttpServerResponse,
  file: StoredFile,
  call: CountedCall,
  delivery: DeliveryContext
): HttpServerResponse.HttpServerResponse => {
  const { bytes, part, sha256, size } = file
  const headers = {
    "accept-ranges": "bytes",
    "repr-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`
  }
  const whole = HttpServerResponse.setHeaders(response, headers)
  if (part === undefined || isConfirmed(call.request.headers["if-none-match"], tagOf(sha256))) {
    const body = new Spooled(sha256, size, bytes)
    const full = HttpServerResponse.setStatus(whole, 200)
    return sendSpooled(full, body, call, delivery)
  }
  const length = part.to - part.from
  const partial = HttpServerResponse.setHeaders(whole, {
    ...delivery.common,
    ...headerRecord(call.verdict.headers),
    vary: "Accept-Encoding, X-API-Key",
    etag: tagOf(sha256),
    "content-range": `bytes ${part.from}-${part.to - 1}/${size}`,
    "content-length": String(length)
  })
  return streamed(partial, bytes, length, call)
}

/** Sends a stream until it ends. Its events are signed, each by itself, and the response is not: it has no end to hash. */
export const sendOpen = Effect.fnUntraced(function* (
  response: HttpServerResponse.HttpServerResponse,
  stream: OpenStream,
  { response: node, verdict }: CountedCall,
  { common }: DeliveryContext
) {
  node.writeHead(200, {
    ...common,
    ...headerRecord(verdict.headers),
    ...response.headers,
    vary: "X-API-Key"
  })
  yield* stream.sendTo(node, (bytes) => verdict.charge?.({ millis: 0, bytes }))
  // It has been sent: nothing is written after the end of a response.
  return HttpServerResponse.empty()
})

/** The response with these bytes as its body. A client that reads nothing for long is given up. */
const streamed = (
  response: HttpServerResponse.HttpServerResponse,
  bytes: Stream.Stream<Uint8Array, unknown>,
  size: number,
  { source, verdict }: CountedCall
): HttpServerResponse.HttpServerResponse => {
  const cutOff = Effect.sync(() => source.socket.destroy())
  return HttpServerResponse.setBody(
    response,
    HttpBody.stream(
      abortOnStall(charged(bytes, verdict), idle, cutOff),
      response.headers["content-type"],
      size
    )
  )
}

/** A stream that cannot be hashed before it is sent, so it goes out unsigned; it is charged as it goes. */
export const sendUnhashed = (
  response: HttpServerResponse.HttpServerResponse,
  { verdict }: CountedCall,
  { common }: DeliveryContext
): HttpServerResponse.HttpServerResponse => {
  const { body, headers } = response
  const type = headers["content-type"]
  return HttpServerResponse.setHeaders(
    body._tag === "Stream"
      ? HttpServerResponse.setBody(
          response,
          HttpBody.stream(charged(body.stream, verdict), type ?? body.contentType, body.contentLength)
        )
      : response,
    { ...common, ...headerRecord(verdict.headers) }
  )
}

/** The same bytes, charged as they go out. */
const charged = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  { charge }: Verdict
): Stream.Stream<Uint8Array, E> =>
  charge === undefined
    ? bytes
    : Stream.map(bytes, (some) => {
        charge({ millis: 0, bytes: some.length })
        return some
      })
