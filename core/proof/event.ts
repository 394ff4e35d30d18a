/**
 * Events: one canonical JSON document (RFC 8785) each, signed by the key that signs answers. As served, an event has two
 * more members, `kid` and `signature`; without them, the canonical text of its other members is what is signed.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { Malformed, toHex, utf8 } from "./bytes.ts"
import { canonical, isRecord } from "./canonical.ts"
import { verifyEd25519 } from "./ed25519.ts"
import type { ServiceKey } from "./keys.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"
import { parseSignatureHeader } from "./statement.ts"

export const eventTag = "service-event-v1"

/** An event as it is signed. `data` depends on the kind; kinds may be added. */
export interface SignedEvent {
  readonly v: Tag<"service-event-v1">
  /** Position in the feed, from 1, without gaps. */
  readonly id: number
  readonly kind: string
  /** When it entered the feed. */
  readonly at: string
  /** When it was signed, by the clock of the signing keys. */
  readonly signed_at: string
  readonly symbol?: string
  readonly category?: string
  /**
   * Its `previous` is the hash (`eventHash`) of the event before: absent in the first event, and in those of earlier releases. It is
   * there and not beside `data`, because the verifiers of 1.0.0 and 2.0.0 refuse a member that they do not know.
   */
  readonly data: Readonly<Record<string, unknown>>
  /** The same, in events from between the releases 2.0.0 and 2.1.0. */
  readonly previous?: string
  /** Present exactly in the demo. */
  readonly simulated?: true
}

const shape: s.Shape<SignedEvent> = {
  v: s.oneOf<Tag<"service-event-v1">>(eventTag, `${eventTag}-demo`),
  id: s.ordinal,
  kind: s.name,
  at: s.time,
  signed_at: s.time,
  symbol: s.optional(s.name),
  category: s.optional(s.name),
  data: { is: isRecord, says: "an object", optional: false },
  previous: s.optional(s.hash),
  simulated: s.optional(s.trueOrAbsent)
}

const checkEvent = (value: unknown): SignedEvent => {
  const event = s.readShape("an event", value, shape)
  checkTag(event, eventTag)
  const { previous } = event.data
  if (previous !== undefined && !s.hash.is(previous))
    throw new Malformed(`an event: \`data.previous\` must be ${s.hash.says}`)
  if (event.id === 1 && (previous ?? event.previous) !== undefined)
    throw new Malformed("an event: the first one follows no other", "contradiction")
  return event
}

/** The hash of the event before, as an event states it. */
export const previousOf = ({ data, previous }: SignedEvent): string | undefined =>
  s.hash.is(data["previous"]) ? data["previous"] : previous

/** The text that is signed. Throws `Malformed` if the event is not valid. */
export const eventText = (event: SignedEvent): string => canonical(checkEvent(event))

/** Hash of an event, by the text that is signed: SHA-256 in lower-case hex. */
export const eventHash = (text: string): string => toHex(sha256(utf8(text)))

/** The event as it is served: the text that is signed, and the two members about its signature. */
export const servedEvent = (text: string, signed: { readonly kid: string; readonly signature: string }) =>
  `${text.slice(0, -1)},"kid":${JSON.stringify(signed.kid)},"signature":${JSON.stringify(signed.signature)}}`

/** A served event, taken apart. Throws `Malformed`. */
export const readEvent = (value: unknown) => {
  if (!isRecord(value)) throw new Malformed("an event must be an object")
  const { kid, signature, ...rest } = value
  if (typeof kid !== "string" || typeof signature !== "string") {
    throw new Malformed("an event must have `kid` and `signature`")
  }
  const event = checkEvent(rest)
  return { event, text: canonical(event), kid, signature: parseSignatureHeader(signature) }
}

/** Hash of a served event. Throws `Malformed`. */
export const hashOfServed = (value: unknown): string => eventHash(readEvent(value).text)

/** True if the served event is signed by this key. Throws `Malformed` if it is not an event. */
export const isSignedBy = (value: unknown, { publicKey }: Pick<ServiceKey, "publicKey">): boolean => {
  const { signature, text } = readEvent(value)
  return verifyEd25519(signature, utf8(text), publicKey)
}
