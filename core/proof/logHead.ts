/** The head of the log that a signed answer names: `X-Service-Log-Head: <size> <root hex>`. */
import { fromHex, Malformed, toHex } from "./bytes.ts"

export interface LogHead {
  /** Entries of the log. */
  readonly size: number
  /** Root over them, 32 bytes. */
  readonly root: Uint8Array
}

/** Name of the header, in lower case. */
export const logHeadHeader = "x-service-log-head"

/** Parses the header's value. Throws `Malformed`. */
export const parseLogHead = (text: string): LogHead => {
  const match = /^(0|[1-9]\d{0,14}) ([0-9a-f]{64})$/.exec(text)
  if (match === null) throw new Malformed(`${logHeadHeader} must be <size> <root, 64 hex digits>`)
  return { size: Number(match[1]), root: fromHex(match[2] ?? "", 32) }
}

/** The header's value. */
export const logHeadText = ({ root, size }: LogHead): string => `${size} ${toHex(root)}`
