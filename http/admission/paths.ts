/** What a path is for: limits and admission ask. */
import { segmentsOfSite } from "../explorer/Site.ts"
import { testPath } from "../HttpSettings.ts"

/** True for a path or request target that is of test mode. */
export const isOfTestMode = (target: string): boolean =>
  target.startsWith(testPath) && /^(?:[/?]|$)/.test(target.slice(testPath.length))

/** The first segments of what people open. */
const places: ReadonlySet<string> = new Set(["docs", "terms", "problems", ...segmentsOfSite()])

/** True for what people open in a browser. */
export const isForPeople = (path: string): boolean => {
  const end = path.indexOf("/", 1)
  return places.has(path.slice(1, end < 0 ? undefined : end))
}

/** Account and payment paths. They have separate limits, so a network that has used up its reads can still pay. */
export const isOfAccounts = (path: string): boolean =>
  path.startsWith("/v1/credits/") ||
  path.startsWith("/v1/webhooks") ||
  path.startsWith("/v1/alerts") ||
  path.startsWith("/x402") ||
  path.startsWith("/buy/") ||
  path === "/v1/key/by-session"

/** What is sold per request. */
export const isOfSales = (path: string): boolean => path.startsWith("/x402/v1/")

/** Read by operators' machines, and webhooks of the card processor, which tell of payments. */
const probes: ReadonlySet<string> = new Set(["/health", "/readyz", "/metrics", "/webhooks/stripe"])

export const isProbe = (path: string): boolean => probes.has(path)

const readyBytes: ReadonlySet<string> = new Set(["/v1/world", "/.well-known/service-signing-key.json"])

/** Never waits and is never refused for want of a turn: what all ask for, what every check begins with, and probes. */
export const neverWaits = (path: string): boolean => readyBytes.has(path) || isProbe(path)
