/** A log key for tests: a real ed25519 key under the name of a test log. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto"
import { Layer } from "effect"
import { LogKey } from "../../core/log/Log.ts"

const pair = generateKeyPairSync("ed25519")
const pem = pair.privateKey.export({ type: "pkcs8", format: "pem" })
const key = createPrivateKey(pem)

/** The 32 bytes of the public key. */
export const publicKey = new Uint8Array(
  createPublicKey(key).export({ type: "spki", format: "der" }).subarray(-32)
)

export const origin = "log.example.net/test"

const period = { announcedAt: "2026-08-01T00:00:00Z", notBefore: "2026-08-01T00:00:00Z", notAfter: null }
/** The key signs answers and checkpoints. */
export const history = [
  { purpose: "answers" as const, publicKey, ...period },
  { purpose: "log" as const, publicKey, ...period }
]

export const layer = (simulated = false): Layer.Layer<LogKey> =>
  Layer.succeed(
    LogKey,
    LogKey.of({
      origin,
      publicKey: () => publicKey,
      history: () => history,
      sign: (message) => sign(null, message, key),
      simulated
    })
  )
