/** What a verifier asks a service for: one request, its keys, and the parts of a request that signatures cover. */
import { CouldNotLook, fromUtf8 } from "./bytes.ts"
import { isRecord } from "./canonical.ts"
import { parseJson } from "./json.ts"

export interface Fetched {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Without content coding. */
  readonly body: Uint8Array
}

/** Fetches a URL; throws `CouldNotLook` if there is no response. */
export type Get = (url: string, headers?: Readonly<Record<string, string>>) => Promise<Fetched>

/** Where a service publishes its keys. */
export const keysPath = "/.well-known/service-signing-key.json"
/** Where the log is served as plain files: `checkpoint`, `tile/...` (C2SP tlog-tiles). */
export const logPath = "/v1/log"
/** The leaves of the batch of a day, one per line. */
export const leavesPath = (day: string): string => `${logPath}/batches/${day}/leaves`

/** An answer with the status 200. Throws `CouldNotLook` for any other. */
export const fetchOk = async (
  get: Get,
  url: string,
  headers?: Readonly<Record<string, string>>
): Promise<Fetched> => demandOk(url, await get(url, headers))

/** Throws `CouldNotLook` unless the answer has the status 200. */
export const demandOk = (url: string, answer: Fetched): Fetched => {
  if (answer.status !== 200) throw new CouldNotLook(`${url} returned ${answer.status}${reasonOf(answer)}`)
  return answer
}

/** The detail of a problem document (RFC 9457); empty if the answer is not one or cannot be read. */
export const reasonOf = ({ body, headers }: Fetched): string => {
  if (headers["content-type"]?.startsWith("application/problem+json") !== true) return ""
  try {
    const problem = parseJson(fromUtf8(body))
    const detail = isRecord(problem) ? problem.detail : undefined
    // Untrusted text reaches a terminal: strip control characters and limit its length.
    return typeof detail === "string" ? `: ${detail.replace(/\p{C}/gu, " ").slice(0, 300)}` : ""
  } catch {
    return ""
  }
}

export const fetchKeys = async (get: Get, base: string): Promise<unknown> =>
  parseJson(fromUtf8((await fetchOk(get, base + keysPath)).body))

/** The parts of a request that the signatures cover. `own` is the service's authority, where it was reached under another name. */
export const requestOf = (method: string, url: string, ownAuthority?: string) => {
  const match = /^(https?):\/\/([^/?#@]+)(\/[^?#]*)?(\?[^#]*)?/i.exec(url)
  if (match === null) throw new CouldNotLook(`${url} is not an http or https URL`)
  const [, scheme = "", authority = "", path = "/", query = "?"] = match
  const own = scheme.toLowerCase() === "https" ? ":443" : ":80"
  const lower = authority.toLowerCase()
  const addressed = lower.endsWith(own) ? lower.slice(0, -own.length) : lower
  return { method, authority: ownAuthority?.toLowerCase() ?? addressed, path, query }
}
