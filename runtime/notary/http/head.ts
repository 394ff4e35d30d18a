/** The head of an HTTP/1.1 message (RFC 9112, 2 to 5), read strictly: what two readers could take differently is refused. */
import { demand, refuse } from "../Refused.ts"

/** Values by the name in lower case, in their order. */
export type Headers = ReadonlyMap<string, ReadonlyArray<string>>

export interface Head {
  readonly start: string
  readonly headers: Headers
  /** The offset after it. */
  readonly end: number
}

const longest = 64 * 1024

const fieldForm = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/

/** The head at an offset; undefined while it is cut. */
export const headAt = (bytes: Buffer, from: number): Head | undefined => {
  const end = bytes.indexOf("\r\n\r\n", from, "latin1")
  demand((end < 0 ? bytes.length : end) - from <= longest, "a head that is too long")
  if (end < 0) return undefined
  const [start = "", ...lines] = bytes.toString("latin1", from, end).split("\r\n")
  const headers = new Map<string, Array<string>>()
  for (const line of lines) {
    const [, name = "", value = ""] = fieldForm.exec(line) ?? refuse("a malformed header line")
    const values = headers.get(name.toLowerCase())
    if (values === undefined) headers.set(name.toLowerCase(), [value])
    else values.push(value)
  }
  return { start, headers, end: end + 4 }
}

/** The value of a header that may be there once. */
export const single = (headers: Headers, name: string): string | undefined => {
  const values = headers.get(name) ?? []
  demand(values.length < 2, `${name} twice`)
  return values[0]
}

/** `Content-Length` in bytes. */
export const lengthIn = (headers: Headers): number | undefined => {
  const text = single(headers, "content-length")
  demand(text === undefined || /^(0|[1-9]\d{0,11})$/.test(text), "a malformed Content-Length")
  return text === undefined ? undefined : Number(text)
}
