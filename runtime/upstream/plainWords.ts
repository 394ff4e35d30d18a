/** What went wrong with a connection, in words: codes of Node, undici and zlib say little to who runs a collector. */

const byCode: Readonly<Record<string, (host: string) => string>> = {
  ENOTFOUND: (host) => `there is no address for the name ${host}`,
  EAI_AGAIN: (host) => `the name server gave no answer about ${host}`,
  ESERVFAIL: (host) => `the name server gave no answer about ${host}`,
  ETIMEOUT: (host) => `the name server gave no answer about ${host}`,
  ECONNREFUSED: (host) => `${host} refused the connection`,
  ECONNRESET: (host) => `${host} closed the connection before its answer was complete`,
  EPIPE: (host) => `${host} closed the connection before the request was complete`,
  ETIMEDOUT: (host) => `${host} did not accept a connection in time`,
  EHOSTUNREACH: (host) => `there is no route to ${host}`,
  ENETUNREACH: (host) => `there is no route to ${host}`,
  EPROTO: (host) => `${host} does not speak TLS on this port`,
  UND_ERR_SOCKET: (host) => `${host} closed the connection before its answer was complete`,
  UND_ERR_CONNECT_TIMEOUT: (host) => `${host} did not accept a connection in time`,
  UND_ERR_HEADERS_OVERFLOW: (host) => `${host} sent more headers than are read`,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: (host) =>
    `${host} sent another number of bytes than its Content-Length says`,
  ERR_STREAM_PREMATURE_CLOSE: (host) => `${host} closed the connection before its answer was complete`,
  Z_BUF_ERROR: (host) => `the compressed answer of ${host} ends too early`
}

/** Codes of one kind: the first part that a code begins with says which. */
const byBeginning: ReadonlyArray<readonly [begins: string, words: (host: string) => string]> = [
  ["Z_", (host) => `the compressed answer of ${host} is damaged`],
  ["ZSTD_", (host) => `the compressed answer of ${host} is damaged`],
  ["ERR__ERROR_", (host) => `the compressed answer of ${host} is damaged`],
  ["ERR_BROTLI", (host) => `the compressed answer of ${host} is damaged`],
  ["ERR_SSL", (host) => `${host} does not speak TLS as it should`],
  ["HPE_", (host) => `${host} sent an answer that is not HTTP`]
]

/** A code that tells the whole, in words; undefined for any other, whose message is then the best there is. */
export const plainWords = (code: string, host: string): string | undefined =>
  (byCode[code] ?? byBeginning.find(([begins]) => code.startsWith(begins))?.[1])?.(host)
