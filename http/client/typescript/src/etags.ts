/** Caches answers with their ETags, so that what did not change is not sent again. */
import { bodyHash } from "../../../../core/proof/statement.ts"
import { ForgedAnswer, type SendRequest } from "./verifying.ts"

interface CachedResponse {
  readonly etag: string
  readonly hash: string
  readonly body: ArrayBuffer
  readonly headers: Headers
}

/** The hash in an ETag of the service, whatever the content coding. */
const hashIn = (etag: string | null): string | undefined =>
  /^(?:W\/)?"([0-9a-f]{64})(?:-[a-z]+)?"$/.exec(etag ?? "")?.[1]

/** Sends a GET with the ETag of its last answer, and gives that answer again on a 304. Caches the newest `capacity`. */
export const cachingByEtag = (capacity: number, send: SendRequest): SendRequest => {
  const answers = new Map<string, CachedResponse>()

  return async (request) => {
    if (request.method !== "GET" || request.headers.has("if-none-match") || request.headers.has("range")) {
      return send(request)
    }
    const { headers, url } = request
    const name = [url, headers.get("accept"), headers.get("x-api-key")].join(" ")
    const before = answers.get(name)
    if (before === undefined) return keep(name, await send(request))
    const conditional = new Request(request)
    conditional.headers.set("If-None-Match", before.etag)
    const response = await send(conditional)
    if (response.status !== 304) return keep(name, response)
    if (hashIn(response.headers.get("etag")) !== before.hash) {
      const detail = "a 304 confirms another body than the cached one"
      throw new ForgedAnswer(url, [{ name: "statement", ok: false, detail }])
    }
    keepNewest(name, before)
    return new Response(before.body, { status: 200, headers: before.headers })
  }

  function keepNewest(name: string, cached: CachedResponse): void {
    answers.delete(name)
    answers.set(name, cached)
    for (const oldest of answers.keys()) if (answers.size > capacity) answers.delete(oldest)
  }

  async function keep(name: string, response: Response): Promise<Response> {
    const etag = response.headers.get("etag") ?? ""
    if (response.status !== 200 || hashIn(etag) === undefined) return response
    const body = await response.clone().arrayBuffer()
    const headers = new Headers(response.headers)
    // The cached body is decoded.
    headers.delete("content-encoding")
    headers.delete("content-length")
    keepNewest(name, { etag, hash: bodyHash(new Uint8Array(body)), body, headers })
    return response
  }
}
