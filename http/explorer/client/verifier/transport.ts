/** Fetches for one look: each address once, so that all parts of it speak of the same answers. */
import { CouldNotLook } from "../../../../core/proof/bytes.ts"
import type { Fetched, Get } from "../../../../core/proof/fetched.ts"
import { Unanswered } from "../parts/failure.ts"

/** A day's leaves are the longest answer. */
const mostBytes = 64 * 1024 * 1024

const ask: Get = async (url, headers = {}) => {
  let answer: Response
  let body: Uint8Array
  try {
    // A signature covers the address that was asked, so it must not lead elsewhere.
    answer = await fetch(url, {
      headers,
      redirect: "error",
      cache: "no-cache",
      signal: AbortSignal.timeout(30_000)
    })
    body = new Uint8Array(await answer.arrayBuffer())
  } catch {
    throw new Unanswered(
      `${url} did not answer, or its answer was altered on the way. Are you connected to the network? Try again`
    )
  }
  if (body.length > mostBytes) throw new CouldNotLook(`${url} answered with more than ${mostBytes} bytes`)
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body }
}

export const oneLook = (): Get => {
  const responses = new Map<string, Promise<Fetched>>()
  return (url, headers) => {
    const before = responses.get(url)
    if (before !== undefined) return before
    const now = ask(url, headers)
    responses.set(url, now)
    return now
  }
}

/** The service that this page came from. */
export const here = (): string => location.origin
