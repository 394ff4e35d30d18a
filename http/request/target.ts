/** Rejects ambiguous request targets before routing. */
import type { IncomingMessage } from "node:http"
import { AddressTooLong, BadRequest } from "../../core/wire/problems/request.ts"

/** The most characters in a request target: far more than any valid call needs. */
export const longestTarget = 2048

const absolute = /^https?:\/\/[\w.~%[\]:-]+(?=[/?]|$)/i

/**
 * The path and query of a request target exactly as sent, for routing, caching and signing. Undefined for a target
 * without a path (RFC 9112, section 3.2): `*`, another scheme, user info before the host.
 */
export const originForm = (target: string): string | undefined => {
  if (target.startsWith("/")) return target
  const match = absolute.exec(target)
  if (match === null) return undefined
  const rest = target.slice(match[0].length)
  return rest.startsWith("/") ? rest : `/${rest}`
}

/** The same below the path of the service's public URL; as it is for what does not begin with it. */
export const belowBase = (target: string, basePath: string): string => {
  if (basePath === "" || !target.startsWith(basePath)) return target
  const rest = target.slice(basePath.length)
  if (rest.startsWith("/")) return rest
  return rest === "" || rest.startsWith("?") ? `/${rest}` : target
}

/** The problem with the `Host` of a request, or undefined (RFC 9112, section 3.2). */
export const hostProblem = ({ httpVersion, rawHeaders }: IncomingMessage): BadRequest | undefined => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++
  }
  if (hosts === 1) return undefined
  if (hosts > 1)
    return new BadRequest({
      message: `The Host header was sent ${hosts} times; send it once.`,
      field: "Host"
    })
  return httpVersion === "1.1"
    ? new BadRequest({ message: "The Host header is missing; HTTP/1.1 requires it.", field: "Host" })
    : undefined
}

/** The problem with a request target as it was sent, or undefined. */
export const targetProblem = (url: string): AddressTooLong | BadRequest | undefined => {
  if (url.length > longestTarget) {
    return new AddressTooLong({
      message: `The URL has ${url.length} characters; the limit is ${longestTarget}.`
    })
  }
  const start = url.indexOf("?")
  const path = start < 0 ? url : url.slice(0, start)
  const inPath = encodingFault(path)
  if (inPath !== undefined) return new BadRequest({ message: `path contains ${inPath}.`, field: "path" })
  // Some routers start the query at these characters, but the signature covers them as part of the path.
  if (/[;#|\\]/.test(path) || !/^[\x21\x22\x24-\x7e]*$/.test(url)) {
    return new BadRequest({
      message: "path: percent-encode ; # | \\ and all non-ASCII characters.",
      field: "path"
    })
  }
  if (start < 0) return undefined
  for (const part of url.slice(start + 1).split("&")) {
    const [name = "", value = ""] = splitOnce(part.replaceAll("+", " "))
    const inName = encodingFault(name)
    if (inName !== undefined) {
      return new BadRequest({ message: `query: a parameter name contains ${inName}.`, field: "query" })
    }
    const inValue = encodingFault(value)
    if (inValue !== undefined) {
      const field = decodeURIComponent(name)
      return new BadRequest({ message: `${field}: the value contains ${inValue}.`, field })
    }
  }
  return undefined
}

const splitOnce = (part: string): readonly [string, string] => {
  const at = part.indexOf("=")
  return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)]
}

/** NUL is never valid here, and Postgres cannot store it in text. */
const encodingFault = (text: string): string | undefined => {
  if (!text.includes("%")) return undefined
  try {
    return decodeURIComponent(text).includes("\0") ? "a NUL character" : undefined
  } catch {
    return "a percent-encoded sequence that is not UTF-8"
  }
}
