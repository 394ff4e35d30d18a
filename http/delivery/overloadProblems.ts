/** What a limit, a full service and a crowded queue say, and how long to stay away. */
import { toNumber } from "../../core/credits/Money.ts"
import { readPriceOf, readPriceWords } from "../../core/credits/pricing.ts"
import { paidPathOf, type ReadPath } from "../../core/wire/credits/reads.ts"
import { type Quota, TooManyRequests, Unavailable } from "../../core/wire/problems/service.ts"

/** Seconds after which a refused client may try again. */
const fullSeconds = 5

/** What is used up, and what costs less. */
const words: Readonly<Record<Quota, readonly [used: string, advice: string]>> = {
  burst: ["Too many calls at once", ""],
  minute: ["The calls of this minute are used up", ""],
  day: ["The calls of this UTC day are used up", ""],
  millis: [
    "Your answers took more processor time than a minute allows (millis of RateLimit-Policy)",
    ", and ask for fewer different addresses: an answer that is ready costs next to none"
  ],
  bytes: [
    "Your answers had more bytes than a minute allows (bytes of RateLimit-Policy)",
    ", with Accept-Encoding: br or gzip, and with If-None-Match for what you have"
  ]
}

/** What a caller over its limits is told. `sold`: the path, if this service sells its pages. */
export const overLimitProblem = (seconds: number, quota: Quota | undefined, sold: ReadPath | undefined) => {
  const [used, advice] = quota === undefined ? ["Rate limit reached", ""] : words[quota]
  return {
    status: 429,
    headers: { "retry-after": String(seconds) },
    problem: new TooManyRequests({
      message:
        `${used}. Try again in ${seconds} s${advice}.` +
        (sold === undefined ? "" : ` Or read a page now for ${readPriceWords(sold)}.`),
      retry_after: seconds,
      ...(sold === undefined
        ? {}
        : { pay_instead: { path: paidPathOf(sold), price_usd: toNumber(readPriceOf(sold)) } }),
      ...(quota === undefined ? {} : { quota })
    })
  }
}

/** What a network is told that has too many calls waiting (`admission/queue.ts`). */
export const crowdedProblem = () => ({
  status: 429,
  headers: { "retry-after": "1" },
  problem: new TooManyRequests({
    message: "Too many calls of your network wait for their answers. Try again in 1 s, with fewer at a time.",
    retry_after: 1
  })
})

/** What is said below `/test` while the test service does not answer. */
export const testAwayProblem = () => ({
  status: 503,
  headers: { "retry-after": String(fullSeconds) },
  problem: new Unavailable({
    message: `Test mode is unavailable. Retry in ${fullSeconds} s. The live service is not affected.`,
    retry_after: fullSeconds
  })
})

/** What a full service says. It closes the connection, too. */
export const fullProblem = () => ({
  status: 503,
  headers: { "retry-after": String(fullSeconds) },
  problem: new Unavailable({
    message: `The service has more connections than it can serve. Try again in ${fullSeconds} s.`,
    retry_after: fullSeconds
  })
})
