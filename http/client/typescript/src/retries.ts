/** Retries what may work the next time, and never a request that could then take effect twice. */
import type { SendRequest } from "./verifying.ts"
import { ForgedAnswer } from "./verifying.ts"

export interface Retries {
  /** How often a request is retried; 3 by default. */
  readonly retries?: number
  /** The longest wait before a retry in milliseconds, 30,000 by default; an answer that asks for more is given as it is. */
  readonly longestWait?: number
  /** Waits; for tests. */
  readonly sleep?: (milliseconds: number) => Promise<void>
}

const firstWait = 500

/** What came of a try, if it is worth another: the wait that the service asks for, or undefined for one of ours. */
type Again = { readonly after: number | undefined } | undefined

/** True if sending it twice does what sending it once does. */
const mayRepeat = ({ headers, method }: Request): boolean =>
  method === "GET" || method === "HEAD" || headers.has("idempotency-key") || headers.has("payment-signature")

const retryAfter = (response: Response): number | undefined => {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}

const againAfter = (request: Request, response: Response): Again => {
  const after = retryAfter(response)
  // A rejected call did nothing, whatever its method.
  if (response.status === 429) return { after }
  if (!mayRepeat(request)) return undefined
  // A 503 says when waiting helps; those of proxies say nothing.
  if (response.status === 503) return after === undefined ? undefined : { after }
  return response.status === 502 || response.status === 504 ? { after } : undefined
}

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Sends a request, up to `retries` times again, with growing random waits or those that the service asks for. */
export const retrying = (options: Retries, send: SendRequest): SendRequest => {
  const { longestWait = 30_000, retries = 3, sleep = wait } = options
  return async (request) => {
    for (let tried = 0; ; tried++) {
      const grown = Math.random() * Math.min(longestWait, firstWait * 2 ** tried)
      try {
        const response = await send(request.clone())
        const again = tried < retries ? againAfter(request, response) : undefined
        if (again === undefined || (again.after ?? 0) > longestWait) return response
        await sleep(again.after ?? grown)
      } catch (error) {
        if (
          tried >= retries ||
          !mayRepeat(request) ||
          request.signal.aborted ||
          error instanceof ForgedAnswer
        ) {
          throw error
        }
        await sleep(grown)
      }
    }
  }
}
