/**
 * The service's public-key document: a JWK set (RFC 7517, RFC 8037) whose members also carry the key in hex, the log's
 * verifier key string, and the period the key was in use. Retired keys stay in it forever.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { equalBytes, fromBase64Url, fromHex, Malformed, toBase64Url, toHex, utf8 } from "./bytes.ts"
import { canonical, isRecord } from "./canonical.ts"
import { parseVkey, type Verifier, vkey } from "./checkpoint.ts"

export interface ServiceKey {
  /** The JWK thumbprint of the key (RFC 7638). */
  readonly kid: string
  readonly publicKey: Uint8Array
  /** The same key as a verifier of the log's checkpoints. */
  readonly verifier: Verifier
  /** ISO 8601 UTC. The key cannot sign before this. */
  readonly notBefore: string
  /** ISO 8601 UTC, null while in use. The key cannot sign after this. */
  readonly notAfter: string | null
}

export interface KeyDocument {
  readonly keys: ReadonlyArray<ServiceKey>
  /** The log's origin, which is also the key name in its checkpoints. */
  readonly checkpointOrigin: string
}

/** Human-readable descriptions of the signed text and of the signature header. */
export const payloadFormat = "service-v1|<sha256 of the body, lower-case hex>|<timestamp>|<path>"
export const signatureFormat = "ed25519:<signature, lower-case hex>"

const isoForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/

/** The thumbprint of an Ed25519 key (RFC 7638; the members required by RFC 8037). */
export const thumbprint = (publicKey: Uint8Array): string =>
  toBase64Url(sha256(utf8(canonical({ crv: "Ed25519", kty: "OKP", x: toBase64Url(publicKey) }))))

/** One member of the document's `keys`, as it is served. */
export const keyMember = (
  origin: string,
  key: { readonly publicKey: Uint8Array; readonly notBefore: string; readonly notAfter: string | null }
) => ({
  kty: "OKP" as const,
  crv: "Ed25519" as const,
  alg: "EdDSA" as const,
  use: "sig" as const,
  kid: thumbprint(key.publicKey),
  x: toBase64Url(key.publicKey),
  public_key_hex: toHex(key.publicKey),
  vkey: vkey(origin, key.publicKey),
  not_before: key.notBefore,
  not_after: key.notAfter,
  status: key.notAfter === null ? ("current" as const) : ("retired" as const)
})

/** The whole document as it is served: the current key first. */
export const keyDocument = (
  origin: string,
  keys: ReadonlyArray<{
    readonly publicKey: Uint8Array
    readonly notBefore: string
    readonly notAfter: string | null
  }>
) => ({
  keys: keys
    .map((key) => keyMember(origin, key))
    .sort((a, b) => Number(a.status === "retired") - Number(b.status === "retired")),
  payload_format: payloadFormat,
  signature_format: signatureFormat,
  checkpoint_origin: origin
})

/** Parses a key document; throws `Malformed` if a key's hex and JWK forms differ. */
export const parseKeyDocument = (value: unknown): KeyDocument => {
  if (!isRecord(value) || !Array.isArray(value.keys) || value.keys.length === 0) {
    throw new Malformed("a key document must be an object with a non-empty list `keys`")
  }
  if (typeof value.checkpoint_origin !== "string") {
    throw new Malformed("a key document must have a `checkpoint_origin`")
  }
  const origin = value.checkpoint_origin
  const keys = value.keys.map((member) => parseKey(origin, member))
  if (new Set(keys.map((key) => key.kid)).size !== keys.length)
    throw new Malformed("the key document lists a key twice")
  return { keys, checkpointOrigin: origin }
}

const parseKey = (origin: string, member: unknown): ServiceKey => {
  if (!isRecord(member)) throw new Malformed("a key must be an object")
  const { crv, kid, kty, not_after, not_before, public_key_hex, vkey: verifierKey, x } = member
  if (
    kty !== "OKP" ||
    crv !== "Ed25519" ||
    typeof x !== "string" ||
    typeof public_key_hex !== "string" ||
    typeof verifierKey !== "string"
  ) {
    throw new Malformed("a key must have kty OKP, crv Ed25519, x, public_key_hex and vkey")
  }
  if (typeof not_before !== "string" || !isoForm.test(not_before)) {
    throw new Malformed("a key's not_before must be ISO 8601 in UTC")
  }
  if (not_after !== null && (typeof not_after !== "string" || !isoForm.test(not_after))) {
    throw new Malformed("a key's not_after must be ISO 8601 in UTC, or null while it is in use")
  }
  const publicKey = fromHex(public_key_hex, 32)
  const verifier = parseVkey(verifierKey)
  if (!equalBytes(publicKey, fromBase64Url(x, 32)) || !equalBytes(publicKey, verifier.publicKey)) {
    throw new Malformed("a key's x, public_key_hex and vkey must be the same key")
  }
  if (verifier.name !== origin) throw new Malformed("a key's vkey must be named after checkpoint_origin")
  if (kid !== thumbprint(publicKey)) throw new Malformed("a key's kid must be its RFC 7638 thumbprint")
  return { kid, publicKey, verifier, notBefore: not_before, notAfter: not_after }
}

/**
 * Why a key could not have signed at `time` (ISO 8601 UTC), or undefined if it could: a key is valid from `not_before`
 * to `not_after`, inclusive.
 */
export const notInUse = (key: ServiceKey, time: string): string | undefined => {
  const at = Date.parse(time)
  if (Number.isNaN(at)) return `the signing time ${time} is not an ISO 8601 time`
  if (at < Date.parse(key.notBefore)) {
    return `key ${key.kid} came into use at ${key.notBefore}, after the signing time ${time}`
  }
  if (key.notAfter !== null && at > Date.parse(key.notAfter)) {
    return `key ${key.kid} was retired at ${key.notAfter}, before the signing time ${time}`
  }
  return undefined
}

/** True if `pin` (a kid, hex key or verifier key string) identifies this key. */
export const isPinned = (key: ServiceKey, pin: string): boolean =>
  pin === key.kid || pin === toHex(key.publicKey) || pin === vkey(key.verifier.name, key.publicKey)
