/**
 * HTTP message signatures (RFC 9421), in the one shape the service sends in addition to its own: they bind the answer's
 * status, type, digest and time to the request's method, authority, path and query.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { fromBase64, Malformed, Newer, toBase64, utf8 } from "./bytes.ts"
import { verifyEd25519 } from "./ed25519.ts"
import { statementTag } from "./statement.ts"

/** What the signature covers. */
export interface SignedMessage {
  readonly status: number
  /** Exactly the header's value. */
  readonly contentType: string
  /** `Unencoded-Digest`: of the body before content coding (`unencodedDigest`). */
  readonly unencodedDigest: string
  /** `X-Service-Timestamp`. */
  readonly timestamp: string
  readonly method: string
  /** Host, with the port unless it is the scheme's default, in lower case, from the service's configuration. */
  readonly authority: string
  /** The path as sent, at least `/`. */
  readonly path: string
  /** With its leading `?`; just `?` if there is no query. */
  readonly query: string
}

export interface SignatureParameters {
  /** Unix time in seconds. */
  readonly created: number
  readonly keyid: string
}

const label = "sig1"

const components = [
  ['"@status"', (message: SignedMessage) => String(message.status)],
  ['"content-type"', (message: SignedMessage) => message.contentType],
  ['"unencoded-digest"', (message: SignedMessage) => message.unencodedDigest],
  ['"x-service-timestamp"', (message: SignedMessage) => message.timestamp],
  ['"@method";req', (message: SignedMessage) => message.method],
  ['"@authority";req', (message: SignedMessage) => message.authority],
  ['"@path";req', (message: SignedMessage) => message.path],
  ['"@query";req', (message: SignedMessage) => message.query]
] as const

const covered = `(${components.map(([identifier]) => identifier).join(" ")})`

/** `Unencoded-Digest` (and, on an answer without content coding, `Content-Digest`) of a body: RFC 9530 form. */
export const unencodedDigest = (body: Uint8Array): string => digestOfHash(sha256(body))

/** The same of a body's SHA-256. */
export const digestOfHash = (hash: Uint8Array): string => `sha-256=:${toBase64(hash)}:`

const parametersText = (parameters: SignatureParameters): string =>
  `${covered};created=${parameters.created};keyid="${parameters.keyid}";alg="ed25519";tag="${statementTag}"`

/** The value of `Signature-Input`. */
export const signatureInput = (parameters: SignatureParameters): string =>
  `${label}=${parametersText(parameters)}`

/** The value of `Signature`. */
export const messageSignatureHeader = (signature: Uint8Array): string => `${label}=:${toBase64(signature)}:`

/** A signature base (RFC 9421, section 2.5): the covered identifiers with their values. */
export const baseOf = (
  lines: ReadonlyArray<readonly [identifier: string, value: string]>,
  parameters: string
): string => {
  for (const [identifier, value] of lines) {
    if (/[\r\n]/.test(value)) throw new Malformed(`the component ${identifier} must not contain a line break`)
  }
  return [...lines, ['"@signature-params"', parameters] as const]
    .map(([identifier, value]) => `${identifier}: ${value}`)
    .join("\n")
}

/** The text to sign. */
export const signatureBase = (message: SignedMessage, parameters: SignatureParameters): string =>
  baseOf(
    components.map(([identifier, value]) => [identifier, value(message)] as const),
    parametersText(parameters)
  )

/** One of another shape, such as a second label, other components or a higher tag. */
const otherForm = /^[a-z][a-z0-9*_.-]*=\(("[^"\\]+"(;[a-z]+)* ?)+\)(;[a-z]+=("[^"\\]*"|\d+))+(, ?|$)/

/**
 * Parses a `Signature-Input` of exactly our shape, which no release changes. Throws `Newer` for another one of RFC 9421, since nothing
 * here says what it should cover, and `Malformed` for what is none.
 */
export const parseSignatureInput = (header: string): SignatureParameters => {
  const match = /^sig1=\([^)]*\);created=(0|[1-9]\d{0,11});keyid="([A-Za-z0-9_-]{1,100})";/.exec(header)
  const parameters = { created: Number(match?.[1]), keyid: match?.[2] ?? "" }
  if (match === null || signatureInput(parameters) !== header) {
    if (otherForm.test(header))
      throw new Newer(
        "Signature-Input covers other parts of the answer than this verifier knows, so it proves nothing here: made by a newer release"
      )
    throw new Malformed(`Signature-Input must be ${signatureInput({ created: 0, keyid: "<kid>" })}`)
  }
  return parameters
}

/** True if the headers are this key's signature of this message. */
export const verifyMessageSignature = (
  message: SignedMessage,
  headers: { readonly signatureInput: string; readonly signature: string },
  publicKey: Uint8Array
): boolean => {
  try {
    const parameters = parseSignatureInput(headers.signatureInput)
    const match = /^sig1=:([A-Za-z0-9+/]{86}==):$/.exec(headers.signature)
    if (match === null || !isTimeOf(message.timestamp, parameters.created)) return false
    return verifyEd25519(fromBase64(match[1] ?? "", 64), utf8(signatureBase(message, parameters)), publicKey)
  } catch {
    return false
  }
}

const isTimeOf = (timestamp: string, created: number): boolean => Date.parse(timestamp) === created * 1000
