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
