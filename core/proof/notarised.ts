/** Whether a notary's statements are about an exchange of a run: the same request, the same answer, at the same time. */
import { sha256 } from "@noble/hashes/sha2.js"
import { toHex, utf8 } from "./bytes.ts"
import type { Notarisation, NotarisedExchange, NotarisedResponse, RequestMethod } from "./notarisation.ts"
import type { RunExchange } from "./runLeaf.ts"
import { minute } from "./time.ts"

/** The part of a run's exchange that statements are compared with. */
export type Carried = Omit<RunExchange, "headers_sha256" | "notes">

/** Statements that together are about one exchange. */
export interface Coverage {
  /** In the order of the hops, the last one over the answer itself, and after it the earlier one that a 304 confirms. */
  readonly statements: ReadonlyArray<Notarisation>
  /** `exchange`: request and answer. `host`: the requests are hidden, so that not even the Host header is stated. */
  readonly of: "exchange" | "host"
}

/** How far the clocks of a collector and a notary may be apart, in milliseconds: an older answer is not this one. */
export const clockTolerance = 2 * minute

/** Redirects of one exchange. */
const mostHops = 10

/** One request to one host. */
interface Hop {
  readonly method: RequestMethod
  readonly host: string
  /** Path and query; undefined where only the hash of the address is known. */
  readonly target: string | undefined
  readonly body: string | undefined
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

const hopTo = (url: URL, method: RequestMethod, body: string | undefined): Hop => ({
  method,
  host: url.host,
  target: `${url.pathname}${url.search}`,
  body
})

/** A statement and the one of its exchanges that is meant. */
interface Place {
  readonly statement: Notarisation
  readonly exchange: NotarisedExchange
}

const placesOf = (statements: ReadonlyArray<Notarisation>): ReadonlyArray<Place> =>
  statements.flatMap((statement) => statement.exchanges.map((exchange) => ({ statement, exchange })))

const isAsked = ({ exchange: { request }, statement }: Place, { body, host, method, target }: Hop): boolean =>
  statement.host === host &&
  (request === undefined ||
    (request.method === method && request.target === target && request.body_sha256 === body))

/** Milliseconds between when the notary saw an answer whole and when the collector did. */
const distanceOf = ({ exchange }: Place, at: number): number =>
  Math.abs(Date.parse(exchange.answered_at) - at)

/** The answer itself: a 304 where it was confirmed, and else the same status and the same bytes. */
const isAnswer = ({ exchange: { response } }: Place, { confirmed, sha256, status }: Carried): boolean =>
  confirmed === true ? response.status === 304 : response.status === status && response.sha256 === sha256

/** The answer that a 304 confirms: the same body under the same validator. */
const isConfirmed = (
  earlier: Place,
  { exchange: { request } }: Place,
  hop: Hop,
  { sha256 }: Carried
): boolean =>
  isAsked(earlier, hop) &&
  earlier.exchange.response.status === 200 &&
  earlier.exchange.response.sha256 === sha256 &&
  hasValidator(earlier.exchange.response, request)

const hasValidator = (
  { etag, last_modified }: NotarisedResponse,
  request: NotarisedExchange["request"]
): boolean =>
  etag === undefined
    ? last_modified !== undefined && request?.if_modified_since === last_modified
    : request?.if_none_match === etag

/** Where a redirect leads, as a collector follows it (RFC 9110, 15.4). */
const followed = ({ exchange: { response } }: Place, hop: Hop): Hop | undefined => {
  const { location, status } = response
  const url = location === undefined ? null : URL.parse(location, `https://${hop.host}${hop.target ?? "/"}`)
  if (url === null || !isCarriable(url) || !redirects.has(status)) return undefined
  const isKept = status === 307 || status === 308
  return isKept ? hopTo(url, hop.method, hop.body) : hopTo(url, "GET", undefined)
}

/** A request that a notary may have carried: by https, to port 443. */
const isCarriable = ({ port, protocol }: URL): boolean => protocol === "https:" && port === ""

/** The request as it was sent; undefined for a window of listening, and what else no notary carries. */
const firstHop = (exchange: Carried, places: ReadonlyArray<Place>): Hop | undefined => {
  const { method, request_sha256, url, url_sha256 } = exchange
  if (method === "LISTEN") return undefined
  if (url !== undefined) {
    const parsed = URL.parse(url)
    return parsed === null || !isCarriable(parsed) ? undefined : hopTo(parsed, method, request_sha256)
  }
  // A long address is in the leaf by its hash alone.
  const addresses = places.flatMap(({ exchange: { request }, statement }) =>
    request === undefined ? [] : [`https://${statement.host}${request.target}`]
  )
  const address = addresses.find((one) => toHex(sha256(utf8(one))) === url_sha256)
  const parsed = address === undefined ? null : URL.parse(address)
  return parsed === null ? undefined : hopTo(parsed, method, request_sha256)
}

/**
 * The statements, among these, that are about an exchange, the nearest in time; undefined where they are not about it, or about a
 * part of it alone. Looks at no signature.
 */
export const coverageOf = (
  exchange: Carried,
  statements: ReadonlyArray<Notarisation>
): Coverage | undefined => {
  const places = placesOf(statements)
  const at = Date.parse(exchange.at)
  const path: Array<Place> = []
  let hop = firstHop(exchange, places)
  while (hop !== undefined && path.length <= mostHops) {
    const current: Hop = hop
    const requests = places
      .filter((place) => isAsked(place, current) && distanceOf(place, at) <= clockTolerance)
      .sort((a, b) => distanceOf(a, at) - distanceOf(b, at))
    const answer = requests.find((place) => isAnswer(place, exchange))
    if (answer !== undefined) return coverageBy([...path, answer], answer, current, exchange, places)
    const redirect = requests.find((place) => followed(place, current) !== undefined)
    if (redirect === undefined) return undefined
    path.push(redirect)
    hop = followed(redirect, current)
  }
  return undefined
}

const coverageBy = (
  path: ReadonlyArray<Place>,
  answer: Place,
  hop: Hop,
  exchange: Carried,
  places: ReadonlyArray<Place>
): Coverage | undefined => {
  const earlier =
    exchange.confirmed === true
      ? places.find((place) => isConfirmed(place, answer, hop, exchange))
      : undefined
  if (exchange.confirmed === true && earlier === undefined) return undefined
  const whole = earlier === undefined ? path : [...path, earlier]
  return {
    statements: [...new Set(whole.map(({ statement }) => statement))],
    of: whole.some(({ exchange }) => exchange.request === undefined) ? "host" : "exchange"
  }
}
