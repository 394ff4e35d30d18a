/** Writes a ready response to its socket: whole, as HEAD, or as 304. */
import {
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue
} from "node:http"
import type { Sign } from "../signing/sign.ts"
import { isConfirmed, type ReadyResponse } from "./answer.ts"
import type { Entry } from "./ByteCache.ts"
import type { Unsigned } from "./refusals.ts"

/** A response that will be signed, cached or not. */
export type Signable = Pick<Entry, "answer" | "head">

/** Refusals that state no datum are not signed. */
export const isSigned = <A extends Signable>(ready: A | Unsigned): ready is A => !("error" in ready)

interface WriteContext {
  readonly sign: Sign
  /** Wall clock, epoch milliseconds. */
  readonly now: () => number
}

/** `added` are the headers of this request alone, as name, value, name, value. Gives the status that was sent. */
export const writeReady = (
  ready: Signable | Unsigned,
  request: IncomingMessage,
  response: ServerResponse,
  added: ReadonlyArray<string>,
  context: WriteContext
): number => {
  const { answer } = ready
  const { headers, method = "GET", url = "/" } = request
  const confirmed = isConfirmed(headers["if-none-match"], answer.etag)
  if (
    !confirmed &&
    method === "GET" &&
    takesHead(response) &&
    response.shouldKeepAlive &&
    isLatest(request)
  ) {
    response._header = `${headOf(ready, url, context)}${lines(added)}\r\n`
    if (answer.text === undefined) response.end(answer.bytes)
    else response.end(answer.text, "latin1")
    return answer.status
  }
  const by = isSigned(ready) ? signed(answer, method, url, confirmed, context.sign) : []
  const status = confirmed ? 304 : answer.status
  response.writeHead(status, [
    ...(confirmed ? answer.confirming : answer.headers),
    ...answer.caching(context.now()),
    ...by,
    ...added
  ])
  if (confirmed || method === "HEAD") response.end()
  else response.end(answer.bytes)
  return status
}

/** The signature headers of a response; none of a refusal over a limit, whoever counts it (`refusals.ts`). */
export const signed = (
  answer: ReadyResponse,
  method: string,
  url: string,
  confirmed: boolean,
  sign: Sign
): ReadonlyArray<string> =>
  answer.status === 429
    ? []
    : sign({
        method,
        url,
        status: confirmed ? 304 : answer.status,
        contentType: answer.contentType,
        sha256: answer.sha256,
        digest: answer.digest
      })

/**
 * Node stores the text of the response head here. The field is not public, but setting it directly saves a third of the
 * response time. If it does not exist, the normal way is used.
 */
interface TakesHead extends ServerResponse {
  _header: string | null
}

const takesHead = (response: ServerResponse): response is TakesHead =>
  "_header" in response && response._header === null

/** HTTP/1.0 needs explicit keep-alive headers, so it takes the normal way. */
const isLatest = ({ httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean =>
  httpVersionMajor === 1 && httpVersionMinor === 1

/** The head of a response without the rate limit headers, built once per second. */
const headOf = (ready: Signable | Unsigned, url: string, { sign }: WriteContext): string => {
  const second = sign.second()
  if (ready.head?.second === second) return ready.head.text
  const { answer } = ready
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n`,
    lines(answer.headers),
    lines(answer.caching(second * 1000)),
    ...(isSigned(ready) ? [lines(signed(answer, "GET", url, false, sign))] : []),
    lines(["Date", new Date(second * 1000).toUTCString(), "Connection", "keep-alive"])
  ].join("")
  // Flattens the string: V8 would otherwise join its pieces again for every response.
  const text = Buffer.from(head, "latin1").toString("latin1")
  ready.head = { second, text }
  return text
}

const lines = (headers: ReadonlyArray<string>): string => {
  let text = ""
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? ""
    const value = headers[at + 1] ?? ""
    validateHeaderName(name)
    validateHeaderValue(name, value)
    text += `${name}: ${value}\r\n`
  }
  return text
}
