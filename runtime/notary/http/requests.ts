/** Requests in one form only, so that no server can read them in another: no body without a length, no upgrade, no Expect. */
import type { RequestMethod } from "../../../core/proof/notarisation.ts"
import { demand, refuse } from "../Refused.ts"
import type { Arrival } from "../tape.ts"
import { type Headers, headAt, lengthIn, single } from "./head.ts"
import type { Stream } from "./stream.ts"

export interface HttpRequest {
  readonly method: RequestMethod
  /** Path and query. */
  readonly target: string
  readonly headers: Headers
  readonly body: Buffer
  readonly first: Arrival
  readonly last: Arrival
}

const lineForm = /^(GET|HEAD|POST) (\/[!-~]*) HTTP\/1\.1$/

/** Headers by which a server could read another request, or answer in another protocol. */
const refusedHeaders = ["transfer-encoding", "expect", "upgrade", "te", "trailer"]

const checkHeaders = (headers: Headers, host: string): void => {
  for (const name of refusedHeaders) demand(!headers.has(name), `a request with ${name}`)
  const connection = single(headers, "connection")?.toLowerCase()
  demand(
    connection === undefined || connection === "close" || connection === "keep-alive",
    "an unusual Connection"
  )
  const named = single(headers, "host")?.toLowerCase()
  demand(named === host || named === `${host}:443`, "the Host header names another host")
}

const isMethod = (text: string): text is RequestMethod => ["GET", "HEAD", "POST"].includes(text)

/** The whole requests of a session, in their order. */
export const requestsIn = (stream: Stream, host: string): ReadonlyArray<HttpRequest> => {
  const { bytes } = stream
  const requests: Array<HttpRequest> = []
  for (let at = 0; at < bytes.length; ) {
    const head = headAt(bytes, at)
    if (head === undefined) break
    const [, method = "", target = ""] = lineForm.exec(head.start) ?? refuse("an unusual request line")
    if (!isMethod(method)) return refuse("an unusual request line")
    checkHeaders(head.headers, host)
    const length = lengthIn(head.headers)
    demand(method === "POST" || (length ?? 0) === 0, `a ${method} with a body`)
    demand(method !== "POST" || length !== undefined, "a POST without Content-Length")
    const end = head.end + (length ?? 0)
    if (end > bytes.length) break
    requests.push({
      method,
      target,
      headers: head.headers,
      body: bytes.subarray(head.end, end),
      first: stream.firstAt(at),
      last: stream.lastAt(end - 1)
    })
    at = end
  }
  return requests
}
