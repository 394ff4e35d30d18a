/** Which calls a full service refuses first. */
import type { IncomingMessage } from "node:http"
import { Redacted } from "effect"
import { isKeyOf } from "../../core/credits/keys/KeyMode.ts"
import { isForPeople, isOfAccounts, isOfTestMode } from "./paths.ts"

/**
 * The share of connections that may be busy before calls of a kind are refused, the least important kind first. Whoever
 * pays has paid already, and probes decide what becomes of the process: neither is ever refused by its kind.
 */
export const shares = { pages: 0.7, keyless: 0.8, keyed: 0.9, checkpoint: 0.95, payments: 1 } as const

export type Kind = keyof typeof shares

/** The least share from which anything is refused. */
export const leastShare = Math.min(...Object.values(shares))

/** The head of the log, which monitors and witnesses follow. */
const checkpointPath = "/v1/log/checkpoint"

/** Read by operators' machines, and webhooks of the card processor, which tell of payments. */
const asPayments: ReadonlySet<string> = new Set(["/health", "/readyz", "/metrics", "/webhooks/stripe"])

/** The kind of a call, by its head alone. A key is taken for one by its form: looking it up is the work that is refused. */
export const kindOf = ({ headers, url = "/" }: Pick<IncomingMessage, "headers" | "url">): Kind => {
  const query = url.indexOf("?")
  const path = query < 0 ? url : url.slice(0, query)
  // Whatever it carries: nobody pays there.
  if (isOfTestMode(path)) return "keyless"
  const pays = "payment-signature" in headers || "x-payment" in headers
  if (pays || isOfAccounts(path) || asPayments.has(path)) return "payments"
  if (path === checkpointPath) return "checkpoint"
  if (isForPeople(path)) return "pages"
  const key = headers["x-api-key"]
  if (typeof key !== "string") return "keyless"
  const apiKey = Redacted.make(key)
  return isKeyOf("live", apiKey) || isKeyOf("test", apiKey) ? "keyed" : "keyless"
}
