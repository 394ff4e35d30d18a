import { AddressRefused } from "./address.ts"
import { plainWords } from "./plainWords.ts"
import { TransportError } from "./TransportError.ts"

/** Error codes for which a retry may help. */
const brokenCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "ENOTFOUND",
  "ESERVFAIL",
  "ETIMEOUT",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"
])

/** What a failure of undici, zlib or the address check means. Keeps words, never the error's own objects. */
export const toTransportError = (error: unknown, host: string): TransportError => {
  if (error instanceof TransportError) return error
  if (error instanceof AddressRefused) return new TransportError({ kind: "refused", detail: error.message })
  if (!(error instanceof Error)) return new TransportError({ kind: "limit", detail: String(error) })
  const code =
    error.name === "HTTPParserError"
      ? "HPE_"
      : "code" in error && typeof error.code === "string"
        ? error.code
        : ""
  const detail =
    plainWords(code, host) ?? (code === "" ? error.message : `${host}: ${error.message} (${code})`)
  return new TransportError({
    kind: brokenCodes.has(code) ? "broken" : "limit",
    detail: detail.slice(0, 300)
  })
}
