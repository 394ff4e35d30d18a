/** What is refused of a request before it is routed: an address that can not be read in one way only. */
import { AddressTooLong, BadRequest, says } from "./api/problems.ts"

/** Characters of a request target. Longer than any address of ours by far. */
export const longestTarget = 2048

/** The problem with a request target as it was sent, or undefined. */
export const targetProblem = (url: string): AddressTooLong | BadRequest | undefined => {
  if (url.length > longestTarget) {
    return new AddressTooLong(
      says(`An address has at most ${longestTarget} characters, this one ${url.length}.`)
    )
  }
  const start = url.indexOf("?")
  const path = start < 0 ? url : url.slice(0, start)
  if (!isDecodable(path)) {
    return new BadRequest({ ...says("path: it has a percent sequence that is no UTF-8."), field: "path" })
  }
  // A router may take these for the start of a query; for a signature they are part of the path.
  if (/[;#|\\]/.test(path) || !/^[\x21-\x7e]*$/.test(url)) {
    return new BadRequest({
      ...says("path: the characters ; # | \\ and all beyond ASCII must be percent-encoded."),
      field: "path"
    })
  }
  if (start < 0) return undefined
  for (const part of url.slice(start + 1).split("&")) {
    const [name = "", value = ""] = splitOnce(part.replaceAll("+", " "))
    if (!isDecodable(name)) {
      return new BadRequest({
        ...says("query: a name has a percent sequence that is no UTF-8."),
        field: "query"
      })
    }
    if (!isDecodable(value)) {
      const field = decodeURIComponent(name)
      return new BadRequest({
        ...says(`${field}: the value has a percent sequence that is no UTF-8.`),
        field
      })
    }
  }
  return undefined
}

const splitOnce = (part: string): readonly [string, string] => {
  const at = part.indexOf("=")
  return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)]
}

const isDecodable = (text: string): boolean => {
  if (!text.includes("%")) return true
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
