/** Writes a ready response: whole, as HEAD, or as 304. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Counts } from "../metrics/Counts.ts"
import { idHeader } from "../request/requestId.ts"
import type { Sign } from "../signing/sign.ts"
import { isConfirmed, type ReadyResponse } from "./answer.ts"
import type { Entry } from "./ByteCache.ts"
import type { Unsigned } from "./refusals.ts"

/** A response that will be signed, cached or not. */
export type Signable = Pick<Entry, "answer" | "head">

/** Refusals that state no datum are not signed. */
export const isSigned = <A extends Signable>(ready: A | Unsigned): ready is A => !isUnsigned(ready)

const isUnsigned = (ready: Signable | Unsigned): ready is Unsigned => "error" in ready

interface WriteContext {
  readonly counts: Counts
  readonly sign: Sign
  /** Wall clock, epoch milliseconds. */
  readonly now: () => number
}

/** What the responses to two requests differ in. */
interface OfRequest {
  /** Name, value, name, value. */
  readonly ofLimits: ReadonlyArray<string>
  /** The id of the request, which refusals and failures carry. */
  readonly id: () => string
}

/** How many bytes of a body go out with a status; the head is not counted. */
export const bytesSent = (
  { bytes }: Pick<ReadyResponse, "bytes">,
  method: string | undefined,
  status: number
): number => (status === 304 || method === "HEAD" ? 0 : bytes.length)

/** Writes the response and gives the status that was sent. */
export const send = (
  ready: Signable | Unsigned,
  request: IncomingMessage,
  response: ServerResponse,
  { id, ofLimits }: OfRequest,
  context: WriteContext
): number => {
  const { answer } = ready
  const { headers, method = "GET", url = "/" } = request
  if (isUnsigned(ready)) context.counts.refused(ready.error)
  const isRead = method === "GET" || method === "HEAD"
  const confirmed = isRead && isConfirmed(headers["if-none-match"], answer.etag)
  const status = confirmed ? 304 : answer.status
  const head =
    method === "GET" && !confirmed
      ? headOfSecond(ready, url, context)
      : headOf(ready, { method, url, confirmed }, context)
  const added = status < 400 ? ofLimits : [...ofLimits, idHeader, id()]
  response.writeHead(status, head.concat(added))
  if (confirmed || method === "HEAD") response.end()
  // The head and a text are sent in one write.
  else if (answer.text === undefined) response.end(answer.bytes)
  else response.end(answer.text, "latin1")
  return status
}

interface Head {
  readonly method: string
  readonly url: string
  readonly confirmed: boolean
}

/** The headers of a response to any request for it, as name, value, name, value. */
export const headOf = (
  ready: Signable | Unsigned,
  { confirmed, method, url }: Head,
  { now, sign }: Omit<WriteContext, "counts">
): ReadonlyArray<string> => {
  const { answer } = ready
  return [
    ...(confirmed ? answer.confirming : answer.headers),
    ...answer.caching(now()),
    ...(isSigned(ready) ? signed(answer, method, url, confirmed, sign) : [])
  ]
}

/** The same of a GET, made once per second. */
const headOfSecond = (
  ready: Signable | Unsigned,
  url: string,
  context: WriteContext
): ReadonlyArray<string> => {
  const second = context.sign.second()
  if (ready.head?.second === second) return ready.head.headers
  const headers = headOf(ready, { method: "GET", url, confirmed: false }, context)
  ready.head = { second, headers }
  return headers
}

/** The signature headers of a response; none of a refusal over a limit, whoever counts it (`refusals.ts`). */
const signed = (
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
