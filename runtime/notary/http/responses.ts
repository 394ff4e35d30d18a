/** Responses, each with how its end is known (RFC 9112, 6): one that may have been cut off is none. */
import type { Whole } from "../../../core/proof/notarisation.ts"
import { demand, refuse } from "../Refused.ts"
import { type Headers, headAt, lengthIn, single } from "./head.ts"

export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  /** Before content decoding. */
  readonly body: Buffer
  readonly whole: Whole
  /** The offset after it. */
  readonly end: number
}

const statusForm = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: .*)?$/
const chunkForm = /^([0-9a-fA-F]{1,8})(?:[ \t]*;[^\r\n]*)?$/
const longestChunkLine = 256

/** The content of a chunked body and the offset after it (RFC 9112, 7.1); undefined while it is cut. */
const unchunk = (
  bytes: Buffer,
  from: number
): { readonly body: Buffer; readonly end: number } | undefined => {
  const parts: Array<Buffer> = []
  for (let at = from; ; ) {
    const line = bytes.indexOf("\r\n", at, "latin1")
    if (line < 0) return undefined
    const [, hex = ""] =
      chunkForm.exec(bytes.toString("latin1", at, Math.min(line, at + longestChunkLine))) ??
      refuse("a malformed chunk")
    const begin = line + 2
    const end = begin + Number.parseInt(hex, 16)
    if (end === begin) {
      const after = endOfTrailers(bytes, begin)
      return after === undefined ? undefined : { body: Buffer.concat(parts), end: after }
    }
    if (end + 2 > bytes.length) return undefined
    demand(bytes.toString("latin1", end, end + 2) === "\r\n", "a malformed chunk")
    parts.push(bytes.subarray(begin, end))
    at = end + 2
  }
}

/** The offset after the last chunk's trailers and their empty line. */
const endOfTrailers = (bytes: Buffer, from: number): number | undefined => {
  if (bytes.length < from + 2) return undefined
  if (bytes.toString("latin1", from, from + 2) === "\r\n") return from + 2
  const end = bytes.indexOf("\r\n\r\n", from, "latin1")
  return end < 0 ? undefined : end + 4
}

/** The response at an offset; undefined while it is cut. `isClosed`: the host ended the session with close_notify. */
export const responseAt = (
  bytes: Buffer,
  from: number,
  method: string | undefined,
  isClosed: boolean
): HttpResponse | undefined => {
  const head = headAt(bytes, from)
  if (head === undefined) return undefined
  const { end: begin, headers } = head
  const [, minor, code] = statusForm.exec(head.start) ?? refuse("an unusual status line")
  const status = Number(code)
  demand(status !== 101, "an upgrade")
  const length = lengthIn(headers)
  const coding = single(headers, "transfer-encoding")?.toLowerCase()
  if (status < 200 || status === 204 || status === 304 || method === "HEAD")
    return { status, headers, body: Buffer.alloc(0), whole: "none", end: begin }
  if (coding !== undefined) {
    demand(coding === "chunked" && length === undefined && minor === "1", "an ambiguous length")
    const chunks = unchunk(bytes, begin)
    return chunks === undefined ? undefined : { status, headers, ...chunks, whole: "chunked" }
  }
  if (length !== undefined) {
    const end = begin + length
    return end > bytes.length
      ? undefined
      : { status, headers, body: bytes.subarray(begin, end), whole: "length", end }
  }
  return isClosed
    ? { status, headers, body: bytes.subarray(begin), whole: "close_notify", end: bytes.length }
    : undefined
}
