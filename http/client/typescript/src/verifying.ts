/** Verifies answers with the verifier that also checks the log (`core/proof`). */
import { fetchKeys, requestOf } from "../../../../core/proof/fetched.ts"
import { verifyResponse } from "../../../../core/proof/verifyResponse.ts"

export type SendRequest = (request: Request) => Promise<Response>

export interface Verification {
  /** False: takes answers as they come. */
  readonly verify?: boolean
  /**
   * Keys of the operator for answers, from elsewhere: kid or hex. Without them the keys are those that the service itself
   * publishes, so that an answer is as good as the connection to it.
   */
  readonly keys?: ReadonlyArray<string>
  /** The service's own address, where you reach it under another: signatures cover the host. */
  readonly publicUrl?: string
}

/** One thing that was checked. */
export interface Check {
  readonly name: string
  readonly ok: boolean | "not proved" | "not checked"
  readonly detail: string
}

/** The service did not send this answer to this request, or not like this. */
export class ForgedAnswer extends Error {
  override readonly name: string = "ForgedAnswer"
  readonly checks: ReadonlyArray<Check>

  constructor(url: string, checks: ReadonlyArray<Check>) {
    const failed = checks.filter(({ ok }) => ok !== true).map(({ detail, name }) => `${name}: ${detail}`)
    super(`the answer of ${url} does not verify: ${failed.join("; ")}`)
    this.checks = checks
  }
}

/**
 * Nothing shows that the answer was changed, and nothing proves it: it lacks a signature, has a form of a newer release, or is signed
 * for another host than the one that was asked. Whoever catches `ForgedAnswer` refuses it too.
 */
export class UnprovedAnswer extends ForgedAnswer {
  override readonly name: string = "UnprovedAnswer"
}

const headersOf = ({ headers }: Response): Readonly<Record<string, string>> => Object.fromEntries(headers)

/** Sends a request and gives the answer if it verifies. Throws `ForgedAnswer` otherwise. */
export const verifying = (baseUrl: string, options: Verification, send: SendRequest): SendRequest => {
  if (options.verify === false) return send
  const { keys: pins = [], publicUrl = baseUrl } = options
  let published: Promise<unknown> | undefined

  const read = () =>
    fetchKeys(async (url) => {
      const response = await send(new Request(url))
      const body = new Uint8Array(await response.arrayBuffer())
      return { status: response.status, headers: headersOf(response), body }
    }, baseUrl)

  /** The key document, read again when a new key signs. */
  const keysFor = (kid: string | undefined): Promise<unknown> => {
    const before = published
    const current =
      before?.then((document) =>
        kid === undefined || JSON.stringify(document).includes(kid) ? document : read()
      ) ?? read()
    published = current
    current.catch(() => {
      if (published === current) published = undefined
    })
    return current
  }

  return async (request) => {
    const response = await send(request)
    const body = new Uint8Array(await response.clone().arrayBuffer())
    const headers = headersOf(response)
    const [, kid] = /;keyid="([^"]+)"/.exec(headers["signature-input"] ?? "") ?? []
    const address = publicUrl + request.url.slice(baseUrl.length)
    const checks = verifyResponse(
      { status: response.status, headers, body, request: requestOf(request.method, address) },
      { keys: await keysFor(kid), pins, now: Date.now() }
    )
    if (!holds(response, checks, pins)) {
      const isFalse = checks.some(({ ok }) => ok === false)
      throw isFalse ? new ForgedAnswer(request.url, checks) : new UnprovedAnswer(request.url, checks)
    }
    return response
  }
}

/**
 * True if all is proved that such an answer can prove. The service does not sign refusals that state no data; a 304 has no
 * signature of its query, and `etags.ts` holds it against the answer that it confirms. Without a key from elsewhere,
 * nobody vouches for the one that signed.
 */
const holds = ({ status }: Response, checks: ReadonlyArray<Check>, pins: ReadonlyArray<string>): boolean =>
  checks.every(
    ({ name, ok }) =>
      ok === true ||
      (ok === "not proved" &&
        ((name === "statement" && status >= 400) ||
          (name === "query and status (RFC 9421)" && status === 304) ||
          (name === "operator's key" && pins.length === 0)))
  )
