/** Which calls a full service refuses first, and in which class a caller waits for its turn. */
import type { IncomingMessage } from "node:http"
import { isForPeople, isOfAccounts, isOfTestMode, isProbe } from "./paths.ts"
import type { Class } from "./turns.ts"

/**
 * The share of connections that may be busy before calls of a kind are refused, the least important kind first. Accounts and
 * sales come last, as what they take was paid for, and probes decide what becomes of the process: neither is ever refused by its kind.
 */
export const shares = { pages: 0.7, keyless: 0.8, keyed: 0.9, checkpoint: 0.95, payments: 1 } as const

export type Kind = keyof typeof shares

/** The least share from which anything is refused. */
export const leastShare = Math.min(...Object.values(shares))

/** From so many requests in progress of one network on, its calls for accounts and sales are those of anybody. */
export const mostPaymentsOfNetwork = 8

/** The head of the log, which monitors and witnesses follow. */
const checkpointPath = "/v1/log/checkpoint"

export const pathOf = (url: string): string => {
  const query = url.indexOf("?")
  return query < 0 ? url : url.slice(0, query)
}

/**
 * The kind of a call, by its head, before anything is looked up. What a stranger can write counts for nothing: a header is no
 * payment, and a key counts once it has been identified (`knows`). A key that has not is that of anybody while the service is full.
 */
export const kindOf = (
  { headers, url = "/" }: Pick<IncomingMessage, "headers" | "url">,
  knows: (key: string) => boolean
): Kind => {
  const path = pathOf(url)
  // Whatever it carries: nobody pays there.
  if (isOfTestMode(path)) return "keyless"
  if (isOfAccounts(path) || isProbe(path)) return "payments"
  if (path === checkpointPath) return "checkpoint"
  if (isForPeople(path)) return "pages"
  const key = headers["x-api-key"]
  return typeof key === "string" && knows(key) ? "keyed" : "keyless"
}

/** The class of a caller; `isIdentified` is true for a key that was looked up and exists, and for a payment that decodes where something is sold. */
export const classOf = (path: string, isIdentified: boolean): Class =>
  isForPeople(path) && !isOfAccounts(path) ? "pages" : isIdentified ? "identified" : "keyless"
