/** Private Ed25519 keys in PEM files that only their owner may read. */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto"
import { readFile, stat } from "node:fs/promises"
import { Effect, Schema } from "effect"
import { onDisk } from "./disk.ts"

/** A key file that cannot be used. The message is one line that names it and says what to do. */
export class KeyFileUnusable extends Schema.TaggedError<KeyFileUnusable>()("KeyFileUnusable", {
  message: Schema.String
}) {}

/** The public half, 32 bytes. */
export const publicHalf = (key: KeyObject): Uint8Array => {
  const { x } = createPublicKey(key).export({ format: "jwk" })
  return new Uint8Array(Buffer.from(x ?? "", "base64url"))
}

/** A key as its file has it. */
export const pemOf = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString()

const attempt = <A>(file: string, doing: string, run: () => Promise<A>) =>
  Effect.mapError(
    onDisk(run),
    ({ message }) =>
      new KeyFileUnusable({ message: `${file}: cannot ${doing}: ${message.replace(/\s+/g, " ")}` })
  )

export const readPrivateKey = Effect.fnUntraced(function* (file: string) {
  const refuse = (message: string) => new KeyFileUnusable({ message })
  const { mode } = yield* attempt(file, "be inspected", () => stat(file))
  if ((mode & 0o077) !== 0) return yield* refuse(`${file} is readable by other users; run: chmod 600 ${file}`)
  const pem = yield* attempt(file, "be read", () => readFile(file))
  const key = yield* Effect.try({
    try: () => createPrivateKey(pem),
    catch: () => refuse(`${file} is not a PEM private key; restore it`)
  })
  return key.asymmetricKeyType === "ed25519" ? key : yield* refuse(`${file} is not an Ed25519 key`)
})
