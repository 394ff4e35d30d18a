/**
 * Answers that state no datum: over the limit, no such path or method, a malformed URL, a malformed key, an address
 * of a page that is not its canonical one. They are not signed, because a signature covers the path, and anyone can invent paths faster than
 * they can be signed. Most are made once and sent many times, so they cost no more than a cached answer.
 */
import { Redacted } from "effect"
import { LRUCache } from "lru-cache"
import { isKeyOf } from "../../core/credits/keys/KeyMode.ts"
import { keyPrefixes } from "../../core/credits/keys/keyForm.ts"
import { readPath } from "../../core/wire/credits/reads.ts"
import { KeyUnknown } from "../../core/wire/problems/accounts.ts"
import {
  type AddressTooLong,
  BadRequest,
  MethodNotAllowed,
  NotFound
} from "../../core/wire/problems/request.ts"
import type { TooManyRequests, Unavailable } from "../../core/wire/problems/service.ts"
import type { ProblemPage } from "../explorer/pages/problem.ts"
import { basePathOf, type HttpSettings, liveUrlOf, testUrlOf } from "../HttpSettings.ts"
import { nothingThere } from "../problems/nothingThere.ts"
import { targetProblem } from "../request/target.ts"
import { openApiPath, type Route, type Routes } from "../routing/routes.ts"
import { commonHeaders, makeAnswer, type ReadyResponse, sha256Hex } from "./answer.ts"
import type { HeadOfSecond } from "./ByteCache.ts"
import { canonicalAddress } from "./canonicalAddress.ts"
import { problemText } from "./malformed.ts"
import { crowdedProblem, fullProblem, overLimitProblem, testAwayProblem } from "./overloadProblems.ts"
import type { Verdict } from "./RateLimits.ts"

/** An answer that goes out as it is, with its head for the current second. */
export interface Unsigned {
  readonly answer: ReadyResponse
  /** The `error` of its problem. */
  readonly error: string
  head: HeadOfSecond | undefined
}

export interface Refusals {
  /** The refusal of a call over its limits. */
  readonly overLimit: (verdict: Verdict, url: string | undefined) => Unsigned
  /** The refusal of a call for which a full service has no room. */
  readonly full: () => Unsigned
  /** The refusal of a call whose network has too many waiting (`admission/queue.ts`). */
  readonly crowded: () => Unsigned
  /** What is said while the test service cannot be reached. */
  readonly testAway: () => Unsigned
  /** The refusal of a request by its URL, method and key alone; undefined if there is none. */
  readonly of: (request: {
    readonly method?: string | undefined
    readonly url?: string | undefined
    readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  }) => Unsigned | undefined
}

interface Refused {
  readonly problem:
    | AddressTooLong
    | BadRequest
    | KeyUnknown
    | MethodNotAllowed
    | NotFound
    | TooManyRequests
    | Unavailable
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

const nothing = new Uint8Array()

/** Far more than there are routes and methods. */
const mostKept = 2000

/** The methods of a path, sorted; none if there is no such path. */
export const allowedAt = (at: ReadonlyArray<Route>): ReadonlyArray<string> => {
  const methods = at.map((route) => route.method)
  if (methods.length === 0) return []
  return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].sort()
}

const isRead = (method: string): boolean => method === "GET" || method === "HEAD"

/** The page that people open at a path. */
const pageAt = (at: ReadonlyArray<Route>): Route | undefined =>
  at.find(({ forPeople, method }) => forPeople && method === "GET")

/** Pages that test mode has: where a checkout returns to, and what an alert is read at. The others are of the live service. */
const pagesOfTest: ReadonlySet<string> = new Set(["/paid", "/alerts/:id/feed/:token"])

const isPageOfLive = ({ forPeople, path }: Route): boolean => forPeople && !pagesOfTest.has(path)

const pageOfLive = (liveUrl: string) => ({
  status: 404,
  problem: new NotFound({
    message: `Test mode has no pages. It is described at ${liveUrl}/docs/test-mode.`
  })
})

/** What is said of a key of the other mode. */
const otherMode = (settings: HttpSettings["Service"]): KeyUnknown => {
  const url = `${settings.baseUrl}/v1/credits/register`
  if (settings.testMode.keys === "test") {
    return new KeyUnknown({
      message: `This is a live key; test mode does not accept live keys. Get a free test key (${keyPrefixes.test}…): POST ${url}`
    })
  }
  const testUrl = testUrlOf(settings)
  return new KeyUnknown({
    message:
      testUrl === undefined
        ? "This is a test-mode key, and this service has no test mode."
        : `This is a test-mode key; it works only below ${testUrl}. Get a live key: POST ${url}`
  })
}

export const makeRefusals = (
  settings: HttpSettings["Service"],
  routes: Routes,
  problemPage: ProblemPage,
  perRequest: boolean
): Refusals => {
  const common = commonHeaders(settings)
  const basePath = basePathOf(settings.baseUrl)
  const liveUrl = liveUrlOf(settings)
  const { keys } = settings.testMode
  const cache = new LRUCache<string, Unsigned>({ max: mostKept })

  const build = ({ headers = {}, problem, status }: Refused, page?: ProblemPage): Unsigned => {
    const text = problemText(problem, status)
    const body = Buffer.from(page === undefined ? text : page.text(text))
    const contentType = page === undefined ? "application/problem+json" : page.contentType
    const answer = makeAnswer(
      { status, contentType, body, sha256: sha256Hex(body), headers: { ...headers, ...page?.headers } },
      { coding: "identity", bytes: body },
      false,
      common
    )
    return { answer, error: problem.error, head: undefined }
  }

  /** Made once for each name. */
  const once = (name: string, refused: () => Refused, page?: ProblemPage): Unsigned => {
    const cached = cache.get(name)
    if (cached !== undefined) return cached
    const fresh = build(refused(), page)
    cache.set(name, fresh)
    return fresh
  }

  const noPath = () => ({
    status: 404,
    problem: new NotFound({ message: nothingThere })
  })

  /** Pages have no slash at their end. Who adds one to the address of a page is led to it; for a program it is another path. */
  const withoutSlash = (url: string, at: ReadonlyArray<Route>): string | undefined => {
    const [path = "", ...query] = url.split(/(?=\?)/)
    if (!path.endsWith("/") || path === "/" || at[0]?.forPeople === false) return undefined
    const location = [path.slice(0, -1), ...query].join("")
    const page = pageAt(routes.at(location))
    return page === undefined ? undefined : canonicalAddress(location, page)
  }

  const moved = (location: string, from = basePath): Unsigned => {
    const content = { status: 308, contentType: undefined, body: nothing, sha256: sha256Hex(nothing) }
    const coded = { coding: "identity", bytes: nothing } as const
    return {
      answer: makeAnswer({ ...content, headers: { location: from + location } }, coded, false, common),
      error: "moved",
      head: undefined
    }
  }

  /** The same for a person: a browser says that it wants a page. */
  const wantsPage = (method: string, accept: unknown): boolean =>
    isRead(method) && typeof accept === "string" && accept.includes("text/html")

  const noMethod = (method: string, at: ReadonlyArray<Route>) => () => {
    const methods = allowedAt(at)
    const called = at.find((route) => route.method !== "GET")
    return {
      status: 405,
      headers: { allow: methods.join(", ") },
      problem: new MethodNotAllowed({
        message: `Method ${method} not allowed. Allowed: ${methods.join(", ")}.`,
        valid_values: methods,
        ...(called === undefined ? {} : { hint: called.takes().hint(settings.baseUrl) })
      })
    }
  }

  return {
    overLimit: ({ quota, retryAfter = 60 }, url = "/") => {
      const path = routes.at(url)[0]?.path
      const sold = perRequest && path !== undefined ? readPath(openApiPath(path)) : undefined
      return once(`429 ${retryAfter} ${quota} ${sold}`, () => overLimitProblem(retryAfter, quota, sold))
    },
    full: () => once("503", fullProblem),
    crowded: () => once("429 crowded", crowdedProblem),
    testAway: () => once("503 test", testAwayProblem),
    of: ({ headers, method = "GET", url = "/" }) => {
      const problem = targetProblem(url)
      if (problem !== undefined) {
        return build({ status: problem instanceof BadRequest ? 400 : 414, problem })
      }
      const at = routes.at(url)
      const [first] = at
      const isForPage = wantsPage(method, headers["accept"])
      if (keys === "test" && at.some(isPageOfLive))
        // A checkout leads its buyer back to such a page.
        return isForPage ? moved(url, liveUrl) : once("404 page of live", () => pageOfLive(liveUrl))
      const elsewhere = isForPage ? withoutSlash(url, at) : undefined
      if (elsewhere !== undefined) return moved(elsewhere)
      const page = isRead(method) ? pageAt(at) : undefined
      const address = page === undefined ? url : canonicalAddress(url, page)
      if (address !== url) return moved(address)
      if (first === undefined) {
        return isForPage ? once("404 page", noPath, problemPage) : once("404", noPath)
      }
      const route = at.find((one) => one.method === (method === "HEAD" ? "GET" : method))
      if (route === undefined) {
        return method === "OPTIONS" ? undefined : once(`405 ${method} ${first.path}`, noMethod(method, at))
      }
      const key = headers["x-api-key"]
      if (typeof key !== "string") return undefined
      const apiKey = Redacted.make(key)
      // Whatever is asked: a caller who takes one side for the other has to hear of it.
      if (isKeyOf(keys === "test" ? "live" : "test", apiKey)) {
        return once("401 other mode", () => ({ status: 401, problem: otherMode(settings) }))
      }
      return route.needsKey && !isKeyOf(keys, apiKey)
        ? once("401", () => ({ status: 401, problem: KeyUnknown.refused() }))
        : undefined
    }
  }
}
