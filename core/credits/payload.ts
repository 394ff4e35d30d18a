/** Payloads as bytes: made once in canonical form (RFC 8785), then hashed, kept and sent as they are. */
import { Effect } from "effect"
import { canonical } from "../proof/canonical.ts"
import { sha256 } from "./Secret.ts"

export interface Payload {
  readonly bytes: Uint8Array
  readonly sha256: string
}

/** The bytes of what a product built. A value that is no JSON is a defect of the product. */
export const payloadOf = (value: unknown): Effect.Effect<Payload> =>
  Effect.try({
    try: () => {
      const bytes = new TextEncoder().encode(canonical(value))
      return { bytes, sha256: sha256(bytes) }
    },
    catch: (cause) => cause
  }).pipe(Effect.orDie)

/** Stands for a secret in the bytes that are kept. JSON has no raw control characters, so it can be nothing else. */
const hole = "\u0001"

const replaced = (bytes: Uint8Array, from: string, to: string): Uint8Array =>
  new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll(from, to))

/** A payload's bytes as they are kept: without its secret (`Product.secret`), which JSON holds as it stands. */
export const withoutSecret = (bytes: Uint8Array, secret: string): Uint8Array => replaced(bytes, secret, hole)

/** The bytes as they are delivered. */
export const withSecret = (bytes: Uint8Array, secret: string): Uint8Array => replaced(bytes, hole, secret)

/** JSON of `head` with one more member `data`, whose text is the payload's own bytes. */
export const withData = (head: object, payload: Uint8Array): Uint8Array => {
  const text = JSON.stringify(head)
  const open = new TextEncoder().encode(`${text.slice(0, -1)}${text === "{}" ? "" : ","}"data":`)
  const whole = new Uint8Array(open.length + payload.length + 1)
  whole.set(open)
  whole.set(payload, open.length)
  whole[whole.length - 1] = 0x7d
  return whole
}
