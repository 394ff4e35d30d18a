/** Explains connection errors, because codes of Node, undici and zlib mean little to operators. */

const byCode: Readonly<Record<string, (host: string) => string>> = {
  ENOTFOUND: (host) => `the name ${host} does not resolve`,
  EAI_AGAIN: (host) => `the name server did not answer for ${host}`,
  ESERVFAIL: (host) => `the name server did not answer for ${host}`,
  ETIMEOUT: (host) => `the name server did not answer for ${host}`,
  ECONNREFUSED: (host) => `${host} refused the connection`,
  ECONNRESET: (host) => `${host} closed the connection before its answer was complete`,
  EPIPE: (host) => `${host} closed the connection before the request was complete`,
  ETIMEDOUT: (host) => `${host} did not accept a connection in time`,
  EHOSTUNREACH: (host) => `there is no route to ${host}`,
  ENETUNREACH: (host) => `there is no route to ${host}`,
  EPROTO: (host) => `${host} does not speak TLS on this port`,
  UND_ERR_SOCKET: (host) => `${host} closed the connection before its answer was complete`,
  UND_ERR_CONNECT_TIMEOUT: (host) => `${host} did not accept a connection in time`,
  UND_ERR_HEADERS_OVERFLOW: (host) => `${host} sent too many headers`,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: (host) =>
    `${host} sent a different number of bytes than its Content-Length`,
  ERR_STREAM_PREMATURE_CLOSE: (host) => `${host} closed the connection before its answer was complete`,
  Z_BUF_ERROR: (host) => `the compressed answer of ${host} ends too early`
}

/** Codes of one kind: the first part that a code begins with says which. */
const byBeginning: ReadonlyArray<readonly [begins: string, words: (host: string) => string]> = [
  ["Z_", (host) => `the compressed answer of ${host} is damaged`],
  ["ZSTD_", (host) => `the compressed answer of ${host} is damaged`],
  ["ERR__ERROR_", (host) => `the compressed answer of ${host} is damaged`],
  ["ERR_BROTLI", (host) => `the compressed answer of ${host} is damaged`],
  ["ERR_SSL", (host) => `${host} does not speak TLS correctly`],
  ["HPE_", (host) => `${host} sent an answer that is not HTTP`]
]

/** An explanation of the code; undefined if there is none, and the error's own message is better. */
export const plainWords = (code: string, host: string): string | undefined =>
  (byCode[code] ?? byBeginning.find(([begins]) => code.startsWith(begins))?.[1])?.(host)
