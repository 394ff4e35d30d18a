/**
 * Ids of requests: every error carries one in `X-Request-Id`, and what is logged about the request carries it too. A proxy of
 * ours may have made the id already; then its log and ours name the same one.
 */
import { randomBytes } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

/** Tells processes apart. */
const process = randomBytes(5).toString("hex")
let count = 0

/** An id that no other request has, in any process. */
export const newId = (): string => {
  count += 1
  return `${process}-${count.toString(36)}`
}

/** Harmless in a header, in a log and in a shell. */
const form = /^[\w.-]{8,64}$/

export const requestId = (
  headers: IncomingHttpHeaders | Readonly<Record<string, string>>,
  trustProxy: number
): string => {
  const supplied = trustProxy > 0 ? headers["x-request-id"] : undefined
  return typeof supplied === "string" && form.test(supplied) ? supplied : newId()
}

export const idHeader = "X-Request-Id"
