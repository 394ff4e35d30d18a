/** Sends a response that is in memory, and makes the heads of those that are not. */
import { HttpServerResponse } from "effect/http"
import { isConfirmed, type ReadyResponse } from "./answer.ts"
import type { CountedCall } from "./Call.ts"
import type { DeliveryContext } from "./DeliveryContext.ts"
import { isRead } from "./ready.ts"
import type { Unsigned } from "./refusals.ts"
import { bytesSent, headOf, isSigned, type Signable, send } from "./write.ts"

/**
 * Writes a response that is in memory; nothing to a client that is gone. To what is not a read, a handler may append headers
 * after this (the quota of the encoder), so the server writes it.
 */
export const sendInMemory = (
  ready: Signable | Unsigned,
  call: CountedCall,
  delivery: DeliveryContext
): HttpServerResponse.HttpServerResponse => {
  const { id, response, source, verdict } = call
  const { bytes, contentType, status } = ready.answer
  if (isRead(source.method) || !isSigned(ready)) {
    if (!response.destroyed) {
      const written = send(ready, source, response, { ofLimits: verdict.headers, id: () => id }, delivery)
      verdict.charge?.({ millis: 0, bytes: bytesSent(ready.answer, source.method, written) })
    }
    return HttpServerResponse.empty({ status })
  }
  const head = responseOf(ready.answer, call, delivery)
  verdict.charge?.({ millis: 0, bytes: bytes.length })
  return contentType === undefined
    ? head
    : HttpServerResponse.uint8Array(bytes, { status, headers: head.headers })
}

/** The head of a response whose body the server writes. */
export const responseOf = (
  answer: ReadyResponse,
  { request, verdict }: CountedCall,
  delivery: DeliveryContext
): HttpServerResponse.HttpServerResponse => {
  const { method, url } = request
  const confirmed = isRead(method) && isConfirmed(request.headers["if-none-match"], answer.etag)
  const ready = { answer, head: undefined }
  const headers = headerRecord([...headOf(ready, { method, url, confirmed }, delivery), ...verdict.headers])
  return HttpServerResponse.empty({ status: confirmed ? 304 : answer.status, headers })
}

/** Names and values in turn, as a record. */
export const headerRecord = (headers: ReadonlyArray<string>): Record<string, string> => {
  const record: Record<string, string> = {}
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = "", value = ""] = headers.slice(at, at + 2)
    record[name] = value
  }
  return record
}
