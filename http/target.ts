/** What is refused of a request before it is routed: an address that can be read in more than one way. */
import type { IncomingMessage } from "node:http"
import { AddressTooLong, BadRequest } from "../core/wire/problems/request.ts"

/** Characters of a request target. Longer than any address of ours by far. */
export const longestTarget = 2048

const absolute = /^https?:\/\/[\w.~%[\]:-]+(?=[/?]|$)/i

/**
 * The path and query of a request target, as they were sent: what is routed, kept and signed. Undefined for a target
 * that names no path (RFC 9112, section 3.2): `*`, another scheme, a user before the host.
 */
export const originForm = (target: string): string | undefined => {
  if (target.startsWith("/")) return target
  const found = absolute.exec(target)
  if (found === null) return undefined
  const rest = target.slice(found[0].length)
  return rest.startsWith("/") ? rest : `/${rest}`
}

/** The problem with the `Host` of a request, or undefined (RFC 9112, section 3.2). */
export const hostProblem = ({ httpVersion, rawHeaders }: IncomingMessage): BadRequest | undefined => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++
  }
  if (hosts === 1) return undefined
  if (hosts > 1) return new BadRequest({ message: `Host: sent ${hosts} times; send it once.`, field: "Host" })
  return httpVersion === "1.1"
    ? new BadRequest({ message: "Host: missing; HTTP/1.1 requires this header.", field: "Host" })
    : undefined
}

/** The problem with a request target as it was sent, or undefined. */
export const targetProblem = (url: string): AddressTooLong | BadRequest | undefined => {
  if (url.length > longestTarget) {
    return new AddressTooLong({
      message: `An address has at most ${longestTarget} characters, this one ${url.length}.`
    })
  }
  const start = url.indexOf("?")
  const path = start < 0 ? url : url.slice(0, start)
  const inPath = encodingFault(path)
  if (inPath !== undefined) return new BadRequest({ message: `path: it has ${inPath}.`, field: "path" })
  // A router may take these for the start of a query; for a signature they are part of the path.
  if (/[;#|\\]/.test(path) || !/^[\x21\x22\x24-\x7e]*$/.test(url)) {
    return new BadRequest({
      message: "path: the characters ; # | \\ and all beyond ASCII must be percent-encoded.",
      field: "path"
    })
  }
  if (start < 0) return undefined
  for (const part of url.slice(start + 1).split("&")) {
    const [name = "", value = ""] = splitOnce(part.replaceAll("+", " "))
    const inName = encodingFault(name)
    if (inName !== undefined) {
      return new BadRequest({ message: `query: a name has ${inName}.`, field: "query" })
    }
    const inValue = encodingFault(value)
    if (inValue !== undefined) {
      const field = decodeURIComponent(name)
      return new BadRequest({ message: `${field}: the value has ${inValue}.`, field })
    }
  }
  return undefined
}

const splitOnce = (part: string): readonly [string, string] => {
  const at = part.indexOf("=")
  return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)]
}

/** NUL is in no name and no value of ours, and a text of Postgres cannot hold it. */
const encodingFault = (text: string): string | undefined => {
  if (!text.includes("%")) return undefined
  try {
    return decodeURIComponent(text).includes("\0") ? "a NUL character" : undefined
  } catch {
    return "a percent sequence that is no UTF-8"
  }
}
