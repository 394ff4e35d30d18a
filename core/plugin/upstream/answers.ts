/** Answers as bytes and as text, with the time at which they were true. */
import { Effect } from "effect"
import { firstMoment } from "../asOf.ts"
import { type StatedError, statedInText } from "../statedErrors.ts"
import { UpstreamChanged, UpstreamRefused } from "./errors.ts"
import { type Exchange, Upstream } from "./port.ts"
import { addressOf, nameOf, type RequestOrUrl, toRequest } from "./requests.ts"

/** A decoded answer with the facts that a reading needs. */
export interface Answer<A> {
  readonly body: A
  readonly url: string
  /** `url`, and of a POST the body in its fragment: what a reader has to ask to see the same. */
  readonly read_url: string
  readonly at: number
  /**
   * When the answer was true, as far as its headers tell, in epoch milliseconds: its `Last-Modified` where that is before its
   * `Date`, else its `Date` less its `Age`, else `at` less its `Age`.
   */
  readonly date: number
  /** The `Last-Modified` header, epoch milliseconds. */
  readonly lastModified: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly sha256: string
  /** The address that was read names a place in the state of a chain. */
  readonly ofState?: true
  /** Why the upstream's word is not proved, where it is a chain whose state proves it otherwise. */
  readonly unproved?: string
}

/** A refusal in an answer with status 200: `status: "error"`, `errors: […]`. */
export const refused = (answer: Answer<unknown>, detail: string): UpstreamRefused =>
  new UpstreamRefused({ request: answer.url, detail: detail.slice(0, 300), status: 200 })

/** The refusal that an answer with status 200 states in its body. */
export const statedBy = (request: string, { code, detail }: StatedError): UpstreamRefused =>
  new UpstreamRefused({
    request,
    detail: detail.slice(0, 300),
    status: 200,
    ...(code === undefined ? {} : { code })
  })

/** A failure for an answer in the right form whose content is impossible, such as an empty list of nodes. */
export const implausible = (answer: Answer<unknown>, path: string, detail: string): UpstreamChanged =>
  new UpstreamChanged({ request: answer.url, path, detail })

/** Statuses whose body is the whole answer; a `LISTEN` has 101. Some servers answer every POST with 201. */
const whole: ReadonlySet<number> = new Set([101, 200, 201, 203])

/** Statuses that say nothing by their number alone. */
const sayings: Readonly<Record<number, string>> = {
  202: "status 202: accepted, and not answered yet",
  204: "status 204: no content",
  206: "status 206: a part of the answer, for which nobody asked"
}

/** The time in a header, epoch milliseconds; undefined where there is none. */
const timeIn = (headers: Exchange["headers"], name: string): number | undefined => {
  const text = headers[name]
  if (text === undefined) return undefined
  const ms = Date.parse(text)
  return Number.isFinite(ms) ? ms : undefined
}

/** Milliseconds that the answer lay in caches. */
const ageIn = (headers: Exchange["headers"]): number => {
  const [seconds = ""] = /^\d+/.exec(headers["age"] ?? "") ?? []
  return Number(seconds) * 1000
}

/** See `Answer.date`. */
const dateOf = ({ at, headers }: Pick<Exchange, "at" | "headers">): number => {
  const age = ageIn(headers)
  const date = timeIn(headers, "date") ?? at
  // Some caches pass on the date of the answer that they stored, and its age is in that; others date it anew.
  const produced = at - date > age / 2 ? date : date - age
  const modified = timeIn(headers, "last-modified")
  // 1970 and 1980 are what clocks, builds and archives say that have no time.
  return modified !== undefined && modified >= firstMoment && modified < produced ? modified : produced
}

/** The raw bytes of the answer. A status other than those of a whole answer is `UpstreamRefused`. */
export const bytes = Effect.fnUntraced(function* (target: RequestOrUrl) {
  const request = toRequest(target)
  const { exchange } = yield* Upstream
  const reply = yield* exchange(request)
  if (!whole.has(reply.status)) {
    return yield* new UpstreamRefused({
      request: nameOf(request),
      status: reply.status,
      detail: sayings[reply.status] ?? `status ${reply.status}`,
      said: new TextDecoder().decode(reply.body.subarray(0, 1200)).slice(0, 300)
    })
  }
  const answer: Answer<Uint8Array> = {
    body: reply.body,
    url: request.url,
    read_url: addressOf(request),
    at: reply.at,
    date: dateOf(reply),
    lastModified: timeIn(reply.headers, "last-modified"),
    headers: reply.headers,
    sha256: reply.sha256
  }
  return answer
})

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The answer as UTF-8 text. One that is an error and nothing else is `UpstreamRefused`. */
export const text = Effect.fnUntraced(function* (target: RequestOrUrl) {
  const answer = yield* anyText(target)
  const error = statedInText(answer.body)
  return error === undefined ? answer : yield* statedBy(answer.url, error)
})

/** The answer as UTF-8 text, whatever it states. */
export const anyText = Effect.fnUntraced(function* (target: RequestOrUrl) {
  const answer = yield* bytes(target)
  const body = yield* Effect.try({
    try: () => utf8.decode(answer.body),
    catch: () =>
      new UpstreamChanged({ request: nameOf(target), path: "", detail: "the body is not UTF-8 text" })
  })
  return { ...answer, body } satisfies Answer<string>
})
