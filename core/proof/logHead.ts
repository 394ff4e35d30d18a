/**
 * The head of the log that an answer names: `X-Service-Log-Head: <size> <root hex>`, signed by itself in
 * `X-Service-Log-Head-Signature`. The signature of the answer covers the timestamp that it is over, which binds the two.
 */
import { fromHex, Malformed, toHex, utf8 } from "./bytes.ts"
import { verifyEd25519 } from "./ed25519.ts"
import { parseSignatureHeader } from "./statement.ts"

export interface LogHead {
  /** Entries of the log. */
  readonly size: number
  /** Root over them, 32 bytes. */
  readonly root: Uint8Array
}

/** Names of the headers, in lower case. */
export const logHeadHeader = "x-service-log-head"
export const logHeadSignatureHeader = "x-service-log-head-signature"

/** Parses the header's value. Throws `Malformed`. */
export const parseLogHead = (text: string): LogHead => {
  const match = /^(0|[1-9]\d{0,14}) ([0-9a-f]{64})$/.exec(text)
  if (match === null) throw new Malformed(`${logHeadHeader} must be <size> <root, 64 hex digits>`)
  return { size: Number(match[1]), root: fromHex(match[2] ?? "", 32) }
}

/** The header's value. */
export const logHeadText = ({ root, size }: LogHead): string => `${size} ${toHex(root)}`

interface HeadStatement {
  /** `X-Service-Timestamp`. */
  readonly timestamp: string
  /** Authority and base path of the service: `plumbline.example`, or `plumbline.example/test`. */
  readonly place: string
  /** `X-Service-Log-Head`. */
  readonly head: string
}

/** The text to sign. */
export const headStatement = ({ head, place, timestamp }: HeadStatement): string =>
  `service-head-v1|${timestamp}|${place}|${head}`

/** True if the header's value is this key's signature of the head. */
export const verifyHeadStatement = (
  statement: HeadStatement,
  signature: string,
  publicKey: Uint8Array
): boolean => {
  // A `|` could shift the fields of the text.
  if (statement.place.includes("|")) return false
  try {
    return verifyEd25519(parseSignatureHeader(signature), utf8(headStatement(statement)), publicKey)
  } catch {
    return false
  }
}
