/** Verifies one answer: the service's own signature, and the standard one if present. */
import { type Check, check, demand, keyChecks, notChecked, type Pins, reading } from "./check.ts"
import { parseKeyDocument, type ServiceKey } from "./keys.ts"
import { parseSignatureInput, unencodedDigest, verifyMessageSignature } from "./messageSignature.ts"
import { verifyStatement } from "./statement.ts"

/** An answer as it was received. */
export interface SavedResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes before content coding. */
  readonly body: Uint8Array
  readonly request: {
    readonly method: string
    /** Host, with the port unless it is the scheme's default; undefined if unknown. */
    readonly authority: string | undefined
    readonly path: string
    /** With its leading `?`; just `?` if there is no query; undefined if unknown. */
    readonly query: string | undefined
  }
}

export interface ResponseOptions {
  /** The public-key document. */
  readonly keys: unknown
  readonly pins?: Pins
  /** The answer must have been made at or after this time. */
  readonly notBefore?: string
}

/** Makes every check of one answer. */
export const verifyResponse = (
  response: SavedResponse,
  { keys, notBefore, pins = [] }: ResponseOptions
): ReadonlyArray<Check> => {
  const { headers } = response
  const timestamp = headers["x-service-timestamp"]
  const signature = headers["x-service-signature"]
  const signer = reading(
    "statement",
    () => {
      const document = parseKeyDocument(keys)
      demand(timestamp !== undefined, "the answer has no X-Service-Timestamp")
      demand(signature !== undefined, "the answer has no X-Service-Signature")
      const key = document.answers.find(({ publicKey }) =>
        verifyStatement({
          body: response.body,
          timestamp,
          path: response.request.path,
          signature,
          publicKey
        })
      )
      demand(
        key !== undefined,
        "no key in the document signed this body, time and path: one of them was changed, or another service answered"
      )
      return { key, timestamp, origin: document.checkpointOrigin }
    },
    ({ key }) => `${response.body.length} bytes of ${response.request.path} at ${timestamp}, key ${key.kid}`
  )
  const checks: Array<Check> = [signer.check]
  if (signer.value === undefined) return [...checks, notChecked("key in use", "no key matches the signature")]
  checks.push(...keyChecks(signer.value.key, signer.value.timestamp, pins, signer.value.origin))
  if (notBefore !== undefined) {
    checks.push(
      check("answer not stale", () => {
        demand(
          Date.parse(signer.value?.timestamp ?? "") >= Date.parse(notBefore),
          `the answer was made at ${timestamp}, before ${notBefore}`
        )
        return `made at ${timestamp}`
      })
    )
  }
  return [...checks, checkMessage(response, signer.value.key)]
}

const checkMessage = (response: SavedResponse, key: ServiceKey): Check => {
  const { headers, request } = response
  const name = "query and status (RFC 9421)"
  const input = headers["signature-input"]
  const signature = headers.signature
  if (input === undefined || signature === undefined) {
    return notChecked(name, "the answer has no Signature headers, so its query and status are not covered")
  }
  const { authority, query } = request
  if (authority === undefined || query === undefined) {
    return notChecked(name, "the request URL is unknown; pass --url")
  }
  return check(name, () => {
    const digest = headers["unencoded-digest"] ?? ""
    demand(digest === unencodedDigest(response.body), "Unencoded-Digest does not match the body")
    demand(
      parseSignatureInput(input).keyid === key.kid,
      "Signature-Input names a different key than the one that signed X-Service-Signature"
    )
    const held = verifyMessageSignature(
      {
        status: response.status,
        contentType: headers["content-type"] ?? "",
        unencodedDigest: digest,
        timestamp: headers["x-service-timestamp"] ?? "",
        method: request.method,
        authority,
        path: request.path,
        query
      },
      { signatureInput: input, signature },
      key.publicKey
    )
    demand(held, "the signature does not match this status, type, time, method, authority, path and query")
    return `${request.method} ${authority}${request.path}${query} returned ${response.status}, key ${key.kid}`
  })
}
