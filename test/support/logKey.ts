/** A log key for tests: a real ed25519 key under the name of a test log. */
import { createPrivateKey, createPublicKey, sign } from "node:crypto"
import { Effect, Layer } from "effect"
import { EventKey } from "../../core/events/EventKey.ts"
import { LogKey } from "../../core/log/Log.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"
import { trustedClock } from "./trustedClock.ts"

/** The same in every process of a test: PKCS #8 (RFC 8410) around a fixed seed. */
const pkcs8 = Buffer.from(`302e020100300506032b657004220420${"07".repeat(32)}`, "hex")
const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" })

/** The 32 bytes of the public key. */
export const publicKey = new Uint8Array(
  createPublicKey(key).export({ type: "spki", format: "der" }).subarray(-32)
)

export const origin = "log.example.net/test"

const period = {
  publicKey,
  announcedAt: "2026-08-01T00:00:00Z",
  notBefore: "2026-08-01T00:00:00Z",
  notAfter: null
}
/** One key for both. */
export const keys = [
  { purpose: "answers" as const, ...period },
  { purpose: "log" as const, ...period }
]

const signMessage = (message: Uint8Array): Uint8Array => sign(null, message, key)

/** What signs, and a clock by which days close: most tests turn theirs back. */
export const layer = (simulated = false): Layer.Layer<LogKey | EventKey | TrustedClock> =>
  Layer.mergeAll(
    Layer.succeed(TrustedClock, trustedClock),
    Layer.succeed(
      LogKey,
      LogKey.of({
        origin,
        simulated,
        keys: () => keys,
        signers: Effect.succeed([{ publicKey, sign: signMessage }]),
        lacking: Effect.succeed(undefined)
      })
    ),
    Layer.succeed(EventKey, EventKey.of({ key: () => ({ kid: thumbprint(publicKey), sign: signMessage }) }))
  )
