/**
 * A saved answer: what `curl -i` or `curl -D` wrote. Its first line may be the URL that was asked for, so that a file says by itself
 * what it answers.
 */
import { Malformed } from "./bytes.ts"
import type { SavedResponse } from "./verifyResponse.ts"

/** The URL in the first line; undefined where the file begins with the answer. */
export const savedUrl = (bytes: Uint8Array): string | undefined =>
  /^(https?:\/\/[^\s]+)\r?\n/i.exec(new TextDecoder("latin1").decode(bytes.subarray(0, 8192)))?.[1]

/** The text before the body of an answer that is saved with its URL. */
export const savedHead = (url: string, { headers, status }: Omit<SavedResponse, "request">): string =>
  `${url}\r\nHTTP/1.1 ${status} \r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`

/** Splits it into the last block of headers, and what follows that. Throws `Malformed`. */
export const parseSaved = (bytes: Uint8Array): Omit<SavedResponse, "request"> => {
  // One character for each byte, so that places in the text are places in the bytes.
  const text = new TextDecoder("latin1").decode(bytes)
  const block =
    /^(?:https?:\/\/[^\s]+\r?\n)?(?:HTTP\/[\d.]+ [^\n]*\n(?:[^\r\n]+\r?\n)*\r?\n)*HTTP\/[\d.]+ (\d{3})[^\n]*\n((?:[^\r\n]+\r?\n)*)\r?\n/.exec(
      text
    )
  if (block === null)
    throw new Malformed("the saved headers must start with the status line, as curl -i or -D writes them")
  const headers: Record<string, string> = {}
  for (const line of (block[2] ?? "").split(/\r?\n/)) {
    const colon = line.indexOf(":")
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  return { status: Number(block[1]), headers, body: bytes.slice(block[0].length) }
}
