/** What is refused of a request before it is routed: an address that cannot be read in one way only. */
import { AddressTooLong, BadRequest } from "../core/wire/problems/request.ts"

/** Characters of a request target. Longer than any address of ours by far. */
export const longestTarget = 2048

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
  if (/[;#|\\]/.test(path) || !/^[\x21-\x7e]*$/.test(url)) {
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
