/** How the command asks a service. */
import { CouldNotLook, Malformed } from "../../../../../core/proof/bytes.ts"
import type { Get } from "../../../../../core/proof/fetched.ts"

/** A day's leaves are the longest answer. */
const byteLimit = 64 * 1024 * 1024

/** Bounded in time and size. Rejects redirects, because a signature covers the requested URL. */
export const get: Get = async (url, headers = {}) => {
  try {
    const answer = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(30_000) })
    const parts: Array<Uint8Array> = []
    let length = 0
    for await (const part of answer.body ?? []) {
      length += part.length
      if (length > byteLimit) throw new CouldNotLook(`${url}: response exceeds ${byteLimit} bytes`)
      parts.push(part)
    }
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: Buffer.concat(parts) }
  } catch (error) {
    if (error instanceof Malformed) throw error
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ""
    throw new CouldNotLook(`${url}: no response${cause}`)
  }
}
