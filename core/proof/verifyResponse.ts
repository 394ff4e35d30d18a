/** Verifies one answer: the service's own signature, and the standard one if present. */
import { CouldNotLook, fromBase64, fromHex, Malformed, toHex } from "./bytes.ts"
import { type Check, check, demand, notProved, type Pins, reading } from "./check.ts"
import { isPinned, isRetired, type KeyDocument, notInUse, parseKeyDocument, type ServiceKey } from "./keys.ts"
import { logHeadHeader, logHeadSignatureHeader, parseLogHead, verifyHeadStatement } from "./logHead.ts"
import { digestOfHash, parseSignatureInput, verifyMessageSignature } from "./messageSignature.ts"
import { bodyHash, verifyStatement } from "./statement.ts"
import { unvouched } from "./trust.ts"

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
  /** The caller asks about body, time and path alone, which the service's own signature covers. */
  readonly bodyOnly?: boolean
  /** Wall clock in epoch milliseconds: a key whose end has passed is retired. */
  readonly now?: number
}

/** The hash of the body that the service signed, and what to call the body. Throws `Malformed`. */
const signedBody = ({ body, headers, request, status }: SavedResponse) => {
  if (status === 304) {
    const [, hash] = /^(?:W\/)?"([0-9a-f]{64})(?:-[a-z]+)?"$/.exec(headers["etag"] ?? "") ?? []
    demand(hash !== undefined, "a 304 has no body, and its ETag does not have the body's hash", "missing")
    return { hash, says: `a 304: the body you keep is still served, if its SHA-256 is ${hash}` }
  }
  if (request.method === "HEAD") {
    const [, digest] = /^sha-256=:([A-Za-z0-9+/]{43}=):$/.exec(headers["unencoded-digest"] ?? "") ?? []
    demand(
      digest !== undefined,
      "a HEAD has no body, and it has no Unencoded-Digest of the body of a GET",
      "missing"
    )
    const hash = toHex(fromBase64(digest, 32))
    return { hash, says: `a HEAD: a GET returns the body with the SHA-256 ${hash}` }
  }
  return { hash: bodyHash(body), says: `${body.length} bytes` }
}

const changed = ({ body, headers }: SavedResponse): string =>
  body.length === 0 && (headers["unencoded-digest"] ?? "") !== digestOfHash(fromHex(bodyHash(body), 32))
    ? "the body is missing: save the answer with `curl -i`, or pass --method HEAD if it is one of a HEAD"
    : "no key in the document signed this body, time and path: one of them was changed, or another service answered"

/** Problems that state no data: they go out unsigned, because anyone can invent more URLs than can be signed. */
const unsignedProblems =
  /\/problems\/(address-too-long|bad-request|key-unknown|method-not-allowed|not-found|too-many-requests)"/

/** True for a refusal as the service sends it unsigned. Anyone could have sent it, so it proves nothing. */
const isUnsignedRefusal = ({ body, headers, status }: SavedResponse): boolean => {
  if (/timestamp|signature/.test(Object.keys(headers).join())) return false
  const type = headers["content-type"] ?? ""
  // Where a page's address has a slash too many, and the page that says that there is none.
  if (status === 308) return body.length === 0
  if (status === 404 && type.includes("html")) return true
  // A HEAD has no body to tell it by.
  return (
    status >= 400 &&
    type.includes("problem+json") &&
    (body.length === 0 || unsignedProblems.test(new TextDecoder().decode(body)))
  )
}

/** The kids of the keys in the document that signed the answer; none if it cannot be read. */
export const answerSigners = (response: SavedResponse, keys: unknown): ReadonlyArray<string> => {
  const { headers, request } = response
  const [timestamp, signature] = [headers["x-service-timestamp"], headers["x-service-signature"]]
  if (timestamp === undefined || signature === undefined) return []
  try {
    const { hash } = signedBody(response)
    return parseKeyDocument(keys).answers.flatMap(({ kid, publicKey }) =>
      verifyStatement({ bodySha256: hash, timestamp, path: request.path, signature, publicKey }) ? [kid] : []
    )
  } catch (error) {
    if (error instanceof Malformed) return []
    throw error
  }
}

/** Makes every check of one answer. */
export const verifyResponse = (
  response: SavedResponse,
  { bodyOnly = false, keys, notBefore, now, pins = [] }: ResponseOptions
): ReadonlyArray<Check> => {
  const { headers } = response
  if (isUnsignedRefusal(response)) {
    return [
      notProved(
        "statement",
        `a refusal (${response.status}) without data is unsigned: anyone may have sent it`
      )
    ]
  }
  const timestamp = headers["x-service-timestamp"]
  const signature = headers["x-service-signature"]
  const signer = reading(
    "statement",
    () => {
      const document = parseKeyDocument(keys)
      demand(timestamp !== undefined, "the answer has no X-Service-Timestamp", "missing")
      demand(signature !== undefined, "the answer has no X-Service-Signature", "missing")
      const { hash, says } = signedBody(response)
      const { path } = response.request
      const key = document.answers.find(({ publicKey }) =>
        verifyStatement({ bodySha256: hash, timestamp, path, signature, publicKey })
      )
      demand(key !== undefined, changed(response), "signature")
      return { key, timestamp, document, hash, says }
    },
    ({ key, says }) => `${says}, of ${response.request.path} at ${timestamp}, key ${key.kid}`
  )
  if (signer.value === undefined) {
    return [signer.check, notProved("key in use", "no key matches the signature", "unavailable")]
  }
  const { document, hash, key, timestamp: madeAt } = signer.value
  return [
    signer.check,
    inUse(key, madeAt, now),
    vouched(key, document, pins),
    ...(notBefore === undefined
      ? []
      : [
          check("answer not stale", () => {
            demand(
              Date.parse(madeAt) >= Date.parse(notBefore),
              `the answer was made at ${madeAt}, before ${notBefore}`,
              "time"
            )
            return `made at ${madeAt}`
          })
        ]),
    ...(bodyOnly ? [] : checksOfMessage(response, key, hash))
  ]
}

const checksOfMessage = (response: SavedResponse, key: ServiceKey, hash: string): ReadonlyArray<Check> => {
  const message = checkMessage(response, key, hash)
  const head = response.headers[logHeadHeader]
  return head === undefined ? [message] : [message, checkLogHead(response, key, head)]
}

/** The authority with each base path that the service may have: nothing, or the beginning of the path that was asked. */
const placesOf = (authority: string, path: string): ReadonlyArray<string> => {
  const parts = path.split("/").slice(1, -1)
  return [authority, ...parts.map((_, n) => `${authority}/${parts.slice(0, n + 1).join("/")}`)]
}

/**
 * The authority that the answer itself names, by the address of its keys. No signature covers that header, so it only says which
 * authority to try.
 */
const namedAuthority = ({ headers }: SavedResponse): string | undefined => {
  const match = /^(https?):\/\/([^/?#@|]+)\//i.exec(headers["x-service-signing-key"] ?? "")
  const [, scheme = "", authority = ""] = match ?? []
  return match === null
    ? undefined
    : authority.toLowerCase().replace(scheme.toLowerCase() === "https" ? /:443$/ : /:80$/, "")
}

/**
 * A signature over the authority: whether it holds for the one that was asked, or for another that the answer names. The latter is no
 * alteration: the service was reached under another name than its own.
 */
const checkOfAuthority = (
  name: string,
  response: SavedResponse,
  authority: string,
  holds: (authority: string) => boolean,
  { holding, failing }: { readonly holding: () => string; readonly failing: string }
): Check =>
  check(name, () => {
    if (holds(authority)) return holding()
    const named = namedAuthority(response)
    if (named !== undefined && named !== authority && holds(named))
      throw new CouldNotLook(
        `it is signed for ${named}, and you asked ${authority}; if that is the same service, pass --authority ${named}`
      )
    throw new Malformed(failing, "signature")
  })

/** What the answer says of the log. */
const checkLogHead = (response: SavedResponse, { publicKey }: ServiceKey, head: string): Check => {
  const name = "head of the log"
  const { headers, request } = response
  const signature = headers[logHeadSignatureHeader]
  if (signature === undefined)
    return notProved(name, `it has no ${logHeadSignatureHeader}: anyone may have added it`)
  const { authority, path } = request
  if (authority === undefined)
    return notProved(name, "the request's URL is unknown; pass --url", "unavailable")
  const timestamp = headers["x-service-timestamp"] ?? ""
  return checkOfAuthority(
    name,
    response,
    authority,
    (one) =>
      placesOf(one, path).some((place) =>
        verifyHeadStatement({ timestamp, place, head }, signature, publicKey)
      ),
    {
      holding: () => {
        const { root, size } = parseLogHead(head)
        return `${size} entries, root ${toHex(root)}`
      },
      failing: `${logHeadSignatureHeader} does not match this head, time and host`
    }
  )
}

/** Nobody but the key says when it signed an answer or an event, so a retired key proves nothing. */
export const inUse = (key: ServiceKey, time: string, now: number | undefined): Check => {
  const name = "key in use"
  const used = check(name, () => {
    const lack = notInUse(key, time)
    demand(lack === undefined, lack ?? "", "time")
    return `key ${key.kid} was in use at ${time}, by the operator's word`
  })
  return used.ok === true && isRetired(key, now)
    ? notProved(
        name,
        `key ${key.kid} was retired at ${key.notAfter}, and only the key itself says that it signed before`,
        "time"
      )
    : used
}

/** Whether the caller was given this key, of those that sign answers. */
export const vouched = (key: ServiceKey, document: KeyDocument, pins: Pins): Check => {
  const isGiven = (one: ServiceKey) => pins.some((pin) => isPinned(one, pin, document.checkpointOrigin))
  if (pins.length === 0) return unvouched(key.kid)
  if (!isGiven(key) && document.log.some(isGiven) && !document.answers.some(isGiven)) {
    return notProved(
      "operator's key",
      `the given key signs the log, and key ${key.kid} signs answers; give the operator's key for answers too (--key)`,
      "key"
    )
  }
  return check("operator's key", () => {
    demand(isGiven(key), `signed with key ${key.kid}, which is not one of the given keys`, "key")
    return `signed with the given key ${key.kid}`
  })
}

const checkMessage = (response: SavedResponse, key: ServiceKey, hash: string): Check => {
  const { headers, request } = response
  const name = "query and status (RFC 9421)"
  const input = headers["signature-input"]
  const signature = headers["signature"]
  if (response.status === 304) {
    return notProved(
      name,
      "a 304 has no Signature headers: its query is not signed; save the answer of a plain GET"
    )
  }
  if (input === undefined || signature === undefined) {
    return notProved(
      name,
      "the answer has no Signature headers, so it may be the answer to another query, or have had another status; if only body, time and path matter to you, pass --body-only"
    )
  }
  const { authority, query } = request
  if (authority === undefined || query === undefined) {
    return notProved(name, "the request's URL is unknown; pass --url", "unavailable")
  }
  const digest = headers["unencoded-digest"] ?? ""
  const form = check(name, () => {
    demand(digest === digestOfHash(fromHex(hash, 32)), "Unencoded-Digest does not match the body", "hash")
    demand(
      parseSignatureInput(input).keyid === key.kid,
      "Signature-Input names a different key than the one that signed X-Service-Signature",
      "contradiction"
    )
    return ""
  })
  if (form.ok !== true) return form
  const message = {
    status: response.status,
    contentType: headers["content-type"] ?? "",
    unencodedDigest: digest,
    timestamp: headers["x-service-timestamp"] ?? "",
    method: request.method,
    path: request.path,
    query
  }
  return checkOfAuthority(
    name,
    response,
    authority,
    (one) =>
      verifyMessageSignature(
        { ...message, authority: one },
        { signatureInput: input, signature },
        key.publicKey
      ),
    {
      holding: () =>
        `${request.method} ${authority}${request.path}${query} returned ${response.status}, key ${key.kid}`,
      failing: "the signature does not match this status, type, time, method, authority, path and query"
    }
  )
}
