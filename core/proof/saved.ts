/** A saved answer: what `curl -i` or `curl -D` wrote. */
import { Malformed } from "./bytes.ts"
import type { SavedResponse } from "./verifyResponse.ts"

/** Splits it into the last block of headers, and what follows that. Throws `Malformed`. */
export const parseSaved = (bytes: Uint8Array): Omit<SavedResponse, "request"> => {
  // One character for each byte, so that places in the text are places in the bytes.
  const text = new TextDecoder("latin1").decode(bytes)
  const block =
    /^(?:HTTP\/[\d.]+ [^\n]*\n(?:[^\r\n]+\r?\n)*\r?\n)*HTTP\/[\d.]+ (\d{3})[^\n]*\n((?:[^\r\n]+\r?\n)*)\r?\n/.exec(
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
