/**
 * The service's public-key document: a JWK set (RFC 7517, RFC 8037). Each key has one purpose: it signs answers, or it signs
 * the log's checkpoints and is then also a verifier key string. Retired keys stay in it forever.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { anchorMember, type BundleAnchor } from "./anchor.ts"
import { equalBytes, fromBase64Url, fromHex, Malformed, toBase64Url, toHex, utf8 } from "./bytes.ts"
import { canonical, isRecord } from "./canonical.ts"
import { parseVkey, type Verifier, vkey } from "./checkpoint.ts"
import { type InclusionProof, proofShape } from "./inclusion.ts"
import * as s from "./shape.ts"

/** `answers`: signs responses. `log`: signs the log's checkpoints. */
export type KeyPurpose = "answers" | "log"

/** `announced`: not in use yet. `current`: in use. `retired`: signs no more. */
export type KeyStatus = "announced" | "current" | "retired"

/** A key as the service knows it. Times are ISO 8601 UTC. */
export interface PublishedKey {
  readonly purpose: KeyPurpose
  readonly publicKey: Uint8Array
  /** When it was published first. */
  readonly announcedAt: string
  /** The key does not sign before this. */
  readonly notBefore: string
  /** The key does not sign after this; null while no end is set. */
  readonly notAfter: string | null
}

export interface ServiceKey extends PublishedKey {
  readonly status: KeyStatus
  /** The JWK thumbprint of the key (RFC 7638). */
  readonly kid: string
}

/** A key of the log, also as a verifier of its checkpoints. */
export interface LogServiceKey extends ServiceKey {
  readonly verifier: Verifier
}

/** A rotation of the log's key, with its proof: a member of the document's `rotations`. */
export interface RotationProof extends InclusionProof {
  /** The rotation's note (`rotation.ts`). */
  readonly document: string
  /** The log entry that commits to the note, as canonical text. */
  readonly entry: string
  /** A checkpoint of `size` entries, signed by both keys. */
  readonly checkpoint: string
  /** Signature lines of witnesses on that checkpoint, each without its newline. */
  readonly cosignatures?: ReadonlyArray<string>
  readonly anchor: BundleAnchor
}

export interface KeyDocument {
  /** The keys that sign answers, in the document's order: the current one first. */
  readonly answers: ReadonlyArray<ServiceKey>
  /** The keys that sign checkpoints. */
  readonly log: ReadonlyArray<LogServiceKey>
  /** The log's origin, which is also the key name in its checkpoints. */
  readonly checkpointOrigin: string
  readonly rotations: ReadonlyArray<RotationProof>
  /** A day's batch is in the log at most this many hours after the day's end. */
  readonly batchWithinHours: number
}

/** Human-readable descriptions of the signed text and of the signature header. */
export const payloadFormat = "service-v1|<sha256 of the body, lower-case hex>|<timestamp>|<path>"
export const signatureFormat = "ed25519:<signature, lower-case hex>"

/** The thumbprint of an Ed25519 key (RFC 7638; the members required by RFC 8037). */
export const thumbprint = (publicKey: Uint8Array): string =>
  toBase64Url(sha256(utf8(canonical({ crv: "Ed25519", kty: "OKP", x: toBase64Url(publicKey) }))))

/** True for the log of a demo, which has simulated data and a clock of its own. `origin` is the name of the log. */
export const isDemoLog = (origin: string): boolean => origin.endsWith("/demo")

/** A day's batch is in the log at most this many hours after the day's end: it closes after 8, and has an hour for it. */
export const batchWithinHours = 9

/** What a key is at `now` (epoch milliseconds). */
export const statusOf = (
  { notAfter, notBefore }: Pick<PublishedKey, "notAfter" | "notBefore">,
  now: number
): KeyStatus =>
  now < Date.parse(notBefore)
    ? "announced"
    : notAfter !== null && now > Date.parse(notAfter)
      ? "retired"
      : "current"

/** What a member of the document's `keys` says at any time. */
export const lastingMember = (origin: string, key: PublishedKey) => ({
  kty: "OKP" as const,
  crv: "Ed25519" as const,
  alg: "EdDSA" as const,
  use: "sig" as const,
  kid: thumbprint(key.publicKey),
  x: toBase64Url(key.publicKey),
  public_key_hex: toHex(key.publicKey),
  purpose: key.purpose,
  ...(key.purpose === "log" ? { vkey: vkey(origin, key.publicKey) } : {}),
  announced_at: key.announcedAt,
  not_before: key.notBefore,
  not_after: key.notAfter
})

/** One member of the document's `keys`, as it is served. */
const keyMember = (origin: string, key: PublishedKey, status: KeyStatus) => ({
  ...lastingMember(origin, key),
  status
})

const order: Readonly<Record<KeyStatus, number>> = { current: 0, announced: 1, retired: 2 }

/** The whole document as it is served at `now` (epoch milliseconds): the current key that signs answers is first. */
export const keyDocument = (options: {
  readonly origin: string
  readonly keys: ReadonlyArray<PublishedKey>
  readonly rotations?: ReadonlyArray<RotationProof>
  readonly now: number
  /** The same by the clock of the log's days, which the demo has apart. */
  readonly logNow?: number
}) => ({
  keys: options.keys
    .map((key) =>
      keyMember(
        options.origin,
        key,
        statusOf(key, key.purpose === "log" ? (options.logNow ?? options.now) : options.now)
      )
    )
    .sort(
      (a, b) => order[a.status] - order[b.status] || Number(a.purpose === "log") - Number(b.purpose === "log")
    ),
  payload_format: payloadFormat,
  signature_format: signatureFormat,
  checkpoint_origin: options.origin,
  rotations: options.rotations ?? [],
  promise: { batch_within_hours: batchWithinHours }
})

const rotationMember = s.nested<RotationProof>("a rotation", {
  ...proofShape,
  document: s.text,
  entry: s.text,
  checkpoint: s.text,
  cosignatures: s.optional(s.listOf(s.text)),
  anchor: anchorMember
})
const rotationList = s.listOf(rotationMember)
const promiseMember = s.nested("promise", { batch_within_hours: s.ordinal })

/** Parses a key document; throws `Malformed` if it contradicts itself. */
export const parseKeyDocument = (value: unknown): KeyDocument => {
  if (!isRecord(value) || !Array.isArray(value.keys) || value.keys.length === 0) {
    throw new Malformed("a key document must be an object with a non-empty list `keys`")
  }
  const { checkpoint_origin: origin, promise, rotations } = value
  if (typeof origin !== "string") throw new Malformed("a key document must have a `checkpoint_origin`")
  if (!rotationList.is(rotations))
    throw new Malformed("a key document must have a list `rotations`, which may be empty")
  if (!promiseMember.is(promise)) throw new Malformed("a key document must have a `promise`")
  const answers: Array<ServiceKey> = []
  const log: Array<LogServiceKey> = []
  for (const member of value.keys) {
    const key = parseKey(member)
    if (key.purpose === "answers") {
      if (isRecord(member) && Object.hasOwn(member, "vkey"))
        throw new Malformed("a key that signs answers must not have a vkey")
      answers.push(key)
    } else {
      log.push({ ...key, verifier: verifierIn(member, key, origin) })
    }
  }
  for (const keys of [answers, log]) {
    if (new Set(keys.map((key) => key.kid)).size !== keys.length)
      throw new Malformed("the key document lists a key twice for one purpose")
  }
  return {
    answers,
    log,
    checkpointOrigin: origin,
    rotations,
    batchWithinHours: promise.batch_within_hours
  }
}

const purposes = s.oneOf<KeyPurpose>("answers", "log")
const statuses = s.oneOf<KeyStatus>("announced", "current", "retired")

const parseKey = (member: unknown): ServiceKey => {
  const key = parseLastingKey(member)
  const status = isRecord(member) ? member.status : undefined
  if (!statuses.is(status)) throw new Malformed(`a key's status must be ${statuses.says}`)
  if (status === "retired" && key.notAfter === null)
    throw new Malformed("a retired key must have a not_after")
  return { ...key, status }
}

/** What a key is at any time. Throws `Malformed`. */
export const parseLastingKey = (member: unknown): Omit<ServiceKey, "status"> => {
  if (!isRecord(member)) throw new Malformed("a key must be an object")
  const { announced_at, crv, kid, kty, not_after, not_before, public_key_hex, purpose, x } = member
  if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string" || typeof public_key_hex !== "string") {
    throw new Malformed("a key must have kty OKP, crv Ed25519, x and public_key_hex")
  }
  if (!purposes.is(purpose)) throw new Malformed(`a key's purpose must be ${purposes.says}`)
  if (!s.time.is(announced_at) || !s.time.is(not_before)) {
    throw new Malformed("a key's announced_at and not_before must be ISO 8601 in UTC")
  }
  if (!s.timeOrNull.is(not_after)) {
    throw new Malformed("a key's not_after must be ISO 8601 in UTC, or null while it is in use")
  }
  if (not_after !== null && Date.parse(not_after) < Date.parse(not_before))
    throw new Malformed("a key's not_after must not be before its not_before")
  const publicKey = fromHex(public_key_hex, 32)
  if (!equalBytes(publicKey, fromBase64Url(x, 32)))
    throw new Malformed("a key's x and public_key_hex must be the same key")
  if (kid !== thumbprint(publicKey)) throw new Malformed("a key's kid must be its RFC 7638 thumbprint")
  return {
    purpose,
    kid,
    publicKey,
    announcedAt: announced_at,
    notBefore: not_before,
    notAfter: not_after
  }
}

const verifierIn = (member: unknown, { publicKey }: ServiceKey, origin: string): Verifier => {
  const text = isRecord(member) ? member.vkey : undefined
  if (typeof text !== "string") throw new Malformed("a key of the log must have a vkey")
  const verifier = parseVkey(text)
  if (!equalBytes(publicKey, verifier.publicKey))
    throw new Malformed("a key's vkey and public_key_hex must be the same key")
  if (verifier.name !== origin) throw new Malformed("a key's vkey must be named after checkpoint_origin")
  return verifier
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

/** True if the key has ended, by its document or by the clock (epoch milliseconds). */
export const isRetired = ({ notAfter, status }: ServiceKey, now: number | undefined): boolean =>
  status === "retired" || (now !== undefined && notAfter !== null && now > Date.parse(notAfter))

/** True if `pin` (a kid, hex key or verifier key string of the log at `origin`) identifies this key. */
export const isPinned = (key: ServiceKey, pin: string, origin: string): boolean =>
  pin === key.kid || pin === toHex(key.publicKey) || pin === vkey(origin, key.publicKey)
