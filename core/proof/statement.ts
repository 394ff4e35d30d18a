/**
 * The signature on every answer: `X-Service-Signature` over
 * `service-v1|<sha256 of the body, hex>|<timestamp>|<path>`. The body is the bytes before content coding, the path is
 * the request path without the query, the timestamp is exactly the text of `X-Service-Timestamp`.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { fromHex, Malformed, toHex, utf8 } from "./bytes.ts"
import { verifyEd25519 } from "./ed25519.ts"
import { time } from "./shape.ts"

export const statementTag = "service-v1"

/** The only form of `X-Service-Timestamp`: an ISO 8601 time in UTC, in whole seconds, which exists. */
const isTimestamp = (text: string): boolean => time.is(text) && !text.includes(".")

/** The text to sign. `bodySha256` is lower-case hex. */
export const statementPayload = (bodySha256: string, timestamp: string, path: string): string =>
  `${statementTag}|${bodySha256}|${timestamp}|${path}`

/** The value of `X-Service-Signature`. */
export const signatureHeader = (signature: Uint8Array): string => `ed25519:${toHex(signature)}`

/** The 64 bytes of an `X-Service-Signature`. Throws `Malformed`. */
export const parseSignatureHeader = (header: string): Uint8Array => {
  if (!header.startsWith("ed25519:")) throw new Malformed("X-Service-Signature must start with `ed25519:`")
  return fromHex(header.slice("ed25519:".length), 64)
}

/** SHA-256 of a body in lower-case hex, as it is signed. */
export const bodyHash = (body: Uint8Array): string => toHex(sha256(body))

/** True if the header is this key's signature of this body, time and path. */
export const verifyStatement = (statement: {
  /** `bodyHash` of the body. */
  readonly bodySha256: string
  readonly timestamp: string
  readonly path: string
  /** The value of `X-Service-Signature`. */
  readonly signature: string
  readonly publicKey: Uint8Array
}): boolean => {
  // A `|` in the time or path could shift the payload's fields, so neither may contain one.
  if (!isTimestamp(statement.timestamp) || !/^\/[^|?#]*$/.test(statement.path)) return false
  try {
    const payload = statementPayload(statement.bodySha256, statement.timestamp, statement.path)
    return verifyEd25519(parseSignatureHeader(statement.signature), utf8(payload), statement.publicKey)
  } catch {
    return false
  }
}
