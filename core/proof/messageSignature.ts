/**
 * HTTP message signatures (RFC 9421), in the one shape the service sends in addition to its own: they bind the answer's
 * status, type, digest, time and the log's head to the request's method, authority, path and query.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { fromBase64, Malformed, toBase64, utf8 } from "./bytes.ts"
import { verifyEd25519 } from "./ed25519.ts"
import { logHeadHeader } from "./logHead.ts"
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
  /** `X-Service-Log-Head`; absent where the log has no head yet, and in answers of earlier releases. */
  readonly logHead?: string
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
  /** True if it also covers `X-Service-Log-Head`. */
  readonly coversHead: boolean
}

const label = "sig1"

/** Of a message without a head of the log. */
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

const identifierOfHead = `"${logHeadHeader}"`
/** Where the head stands among the components: behind the timestamp that it belongs to. */
const placeOfHead = 4

const linesOf = (message: SignedMessage): ReadonlyArray<readonly [identifier: string, value: string]> => {
  const all: ReadonlyArray<readonly [string, string]> = components.map(([identifier, value]) => [
    identifier,
    value(message)
  ])
  return message.logHead === undefined
    ? all
    : all.toSpliced(placeOfHead, 0, [identifierOfHead, message.logHead])
}

const identifiers: ReadonlyArray<string> = components.map(([identifier]) => identifier)
const covered = (coversHead: boolean): string =>
  `(${(coversHead ? identifiers.toSpliced(placeOfHead, 0, identifierOfHead) : identifiers).join(" ")})`

/** `Unencoded-Digest` (and, on an answer without content coding, `Content-Digest`) of a body: RFC 9530 form. */
export const unencodedDigest = (body: Uint8Array): string => digestOfHash(sha256(body))

/** The same of a body's SHA-256. */
export const digestOfHash = (hash: Uint8Array): string => `sha-256=:${toBase64(hash)}:`

const parametersText = (parameters: SignatureParameters): string =>
  `${covered(parameters.coversHead)};created=${parameters.created};keyid="${parameters.keyid}";alg="ed25519";tag="${statementTag}"`

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

/** The text to sign; `parameters` covers the head exactly if the message has one. */
export const signatureBase = (message: SignedMessage, parameters: SignatureParameters): string =>
  baseOf(linesOf(message), parametersText(parameters))

/** Parses a `Signature-Input` of exactly our shape. Throws `Malformed` otherwise, because it might cover less. */
export const parseSignatureInput = (header: string): SignatureParameters => {
  const match = /^sig1=\(([^)]*)\);created=(0|[1-9]\d{0,11});keyid="([A-Za-z0-9_-]{1,100})";/.exec(header)
  const parameters = {
    created: Number(match?.[2]),
    keyid: match?.[3] ?? "",
    coversHead: match?.[1]?.includes(identifierOfHead) === true
  }
  if (match === null || signatureInput(parameters) !== header) {
    throw new Malformed(
      `Signature-Input must be ${signatureInput({ created: 0, keyid: "<kid>", coversHead: true })}`
    )
  }
  return parameters
}

/** True if the headers are this key's signature of this message; of a head that the signature does not cover, it says nothing. */
export const verifyMessageSignature = (
  message: SignedMessage,
  headers: { readonly signatureInput: string; readonly signature: string },
  publicKey: Uint8Array
): boolean => {
  try {
    const parameters = parseSignatureInput(headers.signatureInput)
    const match = /^sig1=:([A-Za-z0-9+/]{86}==):$/.exec(headers.signature)
    if (match === null || !isTimeOf(message.timestamp, parameters.created)) return false
    const { logHead, ...others } = message
    if (parameters.coversHead && logHead === undefined) return false
    const signed = parameters.coversHead ? message : others
    return verifyEd25519(fromBase64(match[1] ?? "", 64), utf8(signatureBase(signed, parameters)), publicKey)
  } catch {
    return false
  }
}

const isTimeOf = (timestamp: string, created: number): boolean => Date.parse(timestamp) === created * 1000
