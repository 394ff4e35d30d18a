/** Payload bytes: serialized once in canonical form (RFC 8785), then hashed, stored and sent unchanged. */
import { Effect } from "effect"
import { canonical } from "../proof/canonical.ts"
import { sha256 } from "./Secret.ts"

export interface Payload {
  readonly bytes: Uint8Array
  readonly sha256: string
}

/** What is said of a payload without reading it. */
interface ReadyFacts {
  /** The oldest and the newest `as_of` in it, epoch milliseconds. */
  readonly ages: { readonly oldest: number; readonly newest: number }
  /** The payload with its lists cut to their first members. */
  readonly outline: object
  /** True if a value in it was made up for the demo. */
  readonly simulated: boolean
}

/** A payload whose canonical bytes exist: a long one that is made once and sold many times. */
export class ReadyPayload implements Payload, ReadyFacts {
  readonly bytes: Uint8Array
  readonly sha256: string
  readonly ages: ReadyFacts["ages"]
  readonly outline: object
  readonly simulated: boolean

  constructor({ ages, bytes, outline, sha256, simulated }: Payload & ReadyFacts) {
    this.bytes = bytes
    this.sha256 = sha256
    this.ages = ages
    this.outline = outline
    this.simulated = simulated
  }
}

/** Bytes with their hash. */
export const hashed = (bytes: Uint8Array): Payload => ({ bytes, sha256: sha256(bytes) })

/** Serializes what a product built. A value that is not JSON is a bug in the product. */
export const payloadOf = (value: unknown): Effect.Effect<Payload> =>
  Effect.try({
    try: () =>
      value instanceof ReadyPayload
        ? { bytes: value.bytes, sha256: value.sha256 }
        : hashed(new TextEncoder().encode(canonical(value))),
    catch: (cause) => cause
  }).pipe(Effect.orDie)

/** Placeholder for a secret in stored bytes. It cannot occur otherwise, since JSON has no raw control characters. */
const hole = "\u0001"

const replaced = (bytes: Uint8Array, from: string, to: string): Uint8Array =>
  new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll(from, to))

/** The bytes to store, without the secret (`Product.secret`); the secret needs no escaping in JSON. */
export const withoutSecret = (bytes: Uint8Array, secret: string): Uint8Array => replaced(bytes, secret, hole)

/** The bytes to deliver. */
export const withSecret = (bytes: Uint8Array, secret: string): Uint8Array => replaced(bytes, hole, secret)

/** `head` as JSON with a member `data` that contains exactly the payload bytes. */
export const withData = (head: object, payload: Uint8Array): Uint8Array => {
  const text = JSON.stringify(head)
  const open = new TextEncoder().encode(`${text.slice(0, -1)}${text === "{}" ? "" : ","}"data":`)
  const whole = new Uint8Array(open.length + payload.length + 1)
  whole.set(open)
  whole.set(payload, open.length)
  whole[whole.length - 1] = 0x7d
  return whole
}
