/** Signs by Node's own Ed25519 with a 32-byte secret, as a service does: `core/proof` verifies and never signs. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto"

/** The PKCS #8 form of a secret of Ed25519 (RFC 8410, section 7), but for the secret. */
const beforeSecret = Buffer.from("302e020100300506032b657004220420", "hex")

const keyOf = (secret: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([beforeSecret, secret]), format: "der", type: "pkcs8" })

export const signEd25519 = (message: Uint8Array, secret: Uint8Array): Uint8Array =>
  new Uint8Array(sign(null, message, keyOf(secret)))

export const publicKeyOf = (secret: Uint8Array): Uint8Array =>
  new Uint8Array(createPublicKey(keyOf(secret)).export({ format: "der", type: "spki" }).subarray(-32))
