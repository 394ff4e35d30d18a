/** Where a request may go, at first and after a redirect. */
import { isIP } from "node:net"
import { Effect } from "effect"
import { TransportError } from "./TransportError.ts"
import { isRedirect, type TransportResponse } from "./transport.ts"

const refuse = (detail: string) => Effect.fail(new TransportError({ kind: "refused", detail }))

/** The address, if it is one that the plugin may reach: https (wss to listen) to a host of its list. */
export const permit = (
  address: string,
  options: {
    readonly hosts: ReadonlySet<string>
    readonly scheme: "https:" | "wss:"
    readonly longest: number
    readonly base?: URL
  }
): Effect.Effect<URL, TransportError> => {
  if (address.length > options.longest) return refuse(`the URL is longer than ${options.longest} characters`)
  const url = URL.parse(address, options.base?.href)
  if (url === null) return refuse("not a URL")
  // WHATWG parsing has turned decimal, octal and hexadecimal spellings into the dotted form by now.
  const host = url.hostname.replace(/^\[|\]$/g, "")
  if (isIP(host) !== 0) return refuse("IP addresses are not allowed; use a host name")
  if (url.protocol !== options.scheme)
    return refuse(`only ${options.scheme}// is allowed, not ${url.protocol}//`)
  if (url.username !== "" || url.password !== "") return refuse("a user name in the URL is not allowed")
  if (!options.hosts.has(url.host)) return refuse(`the host ${url.host.slice(0, 100)} is not in the manifest`)
  url.hash = ""
  return Effect.succeed(url)
}

/** The place that a redirect names; undefined where the answer is none. */
export const locationOf = (answer: TransportResponse): string | undefined =>
  isRedirect(answer.status) ? answer.headers["location"] : undefined

/** RFC 9110, 15.4: a POST becomes a GET after 301, 302 and 303; 307 and 308 keep it. */
export const methodAfter = (method: "GET" | "POST", status: number): "GET" | "POST" =>
  status === 307 || status === 308 ? method : "GET"
