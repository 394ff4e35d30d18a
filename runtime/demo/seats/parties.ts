/** The keys of those who play the seats beside the demo: of their own, and the same at each start. */
import { createPrivateKey, sign } from "node:crypto"
import { Effect } from "effect"
import { Secret } from "../../../core/credits/Secret.ts"
import { publicHalf } from "../../outside/ed25519File.ts"

/** Names that no host can have (RFC 2606), and that say what they are wherever a key is printed. */
const names = {
  witness: "simulated-witness.example",
  notary: "simulated-notary.example",
  operator: "simulated-operator.example/demo"
} as const

export interface Party {
  readonly name: string
  readonly publicKey: Uint8Array
  readonly sign: (message: Uint8Array) => Uint8Array
}

/** What stands before the 32 bytes of a private key (RFC 8410). */
const beforeSecret = Buffer.from("302e020100300506032b657004220420", "hex")

export const party = (role: keyof typeof names) =>
  Effect.map(Secret, ({ hmac }): Party => {
    const key = createPrivateKey({
      key: Buffer.concat([beforeSecret, hmac("simulated seat", role)]),
      format: "der",
      type: "pkcs8"
    })
    return {
      name: names[role],
      publicKey: publicHalf(key),
      sign: (message) => sign(null, message, key)
    }
  })
