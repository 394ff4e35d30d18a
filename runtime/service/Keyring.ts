/**
 * The signing key on disk. The private key is a PEM file that only its owner can read. Next to it, `<file>.public.json`
 * keeps the public half of every key that ever signed, with the time it was in use.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  timingSafeEqual
} from "node:crypto"
import { constants } from "node:fs"
import { access, chmod, open, readFile, rename, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { LogKey } from "../../core/log/Log.ts"
import { fromHex, toHex } from "../../core/proof/bytes.ts"
import { type PublishedKey, thumbprint } from "../../core/proof/keys.ts"
import { Signer } from "../../http/signing/Signer.ts"
import { makeFolder } from "../outside/disk.ts"
import { makePrivate } from "../outside/privateFile.ts"

/** A key file that cannot be used. The message names the file and says what to do. */
export class KeyFileUnusable extends Schema.TaggedError<KeyFileUnusable>()("KeyFileUnusable", {
  message: Schema.String
}) {}

const History = Schema.Struct({
  keys: Schema.Array(
    Schema.Struct({
      public_key_hex: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
      not_before: Schema.String,
      not_after: Schema.NullOr(Schema.String)
    })
  )
})
type History = typeof History.Type

const decodeHistory = Schema.decodeUnknownEffect(Schema.fromJsonString(History))

/** The key file in `DATA_DIR`, used when `SIGNING_KEY_FILE` is not set. */
export const defaultKeyFile = (dataDir: string): string => join(dataDir, "signing-key.pem")

const historyFile = (keyFile: string): string => `${keyFile}.public.json`

/** The 32 bytes of an Ed25519 public key. */
const rawPublicKey = (key: KeyObject): Uint8Array => {
  const { x } = createPublicKey(key).export({ format: "jwk" })
  return new Uint8Array(Buffer.from(x ?? "", "base64url"))
}

const wholeSecond = Effect.map(
  Clock.currentTimeMillis,
  (now) => `${new Date(now).toISOString().slice(0, 19)}Z`
)

const attempt = <A>(file: string, doing: string, run: () => Promise<A>): Effect.Effect<A, KeyFileUnusable> =>
  Effect.tryPromise({
    try: run,
    catch: (error) =>
      new KeyFileUnusable({
        message: `${file}: cannot ${doing}: ${error instanceof Error ? error.message.replace(/\s+/g, " ") : "unknown"}`
      })
  })

const exists = (file: string): Effect.Effect<boolean> =>
  Effect.isSuccess(Effect.tryPromise(() => access(file, constants.F_OK)))

/** Replaces a file, readable by its owner only, in one step: a crash leaves the old one or the new one, never half. */
const replaceFile = async (file: string, content: string): Promise<void> => {
  await makeFolder(dirname(file))
  const temporary = `${file}.new`
  const handle = await open(temporary, "w", 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await chmod(temporary, 0o600)
  await rename(temporary, file)
}

const readKey = (file: string): Effect.Effect<KeyObject, KeyFileUnusable> =>
  Effect.gen(function* () {
    const { mode } = yield* attempt(file, "be inspected", () => stat(file))
    if ((mode & 0o077) !== 0) {
      return yield* new KeyFileUnusable({
        message: `SIGNING_KEY_FILE: ${file} is readable by other users (mode ${(mode & 0o777).toString(8)}); run: chmod 600 ${file}`
      })
    }
    const pem = yield* attempt(file, "be read", () => readFile(file))
    const key = yield* Effect.try({
      try: () => createPrivateKey(pem),
      catch: () =>
        new KeyFileUnusable({
          message: `SIGNING_KEY_FILE: ${file} is not a PEM private key; restore it, or create another with: npx plumbline key new <file>`
        })
    })
    if (key.asymmetricKeyType !== "ed25519") {
      return yield* new KeyFileUnusable({
        message: `SIGNING_KEY_FILE: ${file} is not an Ed25519 key; create one with: npx plumbline key new <file>`
      })
    }
    return key
  })

const readHistory = (keyFile: string): Effect.Effect<History, KeyFileUnusable> => {
  const file = historyFile(keyFile)
  return Effect.gen(function* () {
    if (!(yield* exists(file))) return { keys: [] }
    const text = yield* attempt(file, "be read", () => readFile(file, "utf8"))
    return yield* Effect.mapError(
      decodeHistory(text),
      () => new KeyFileUnusable({ message: `${file} is not a list of public keys; restore it from a backup` })
    )
  })
}

const writeHistory = (keyFile: string, history: History) =>
  attempt(historyFile(keyFile), "be written", () =>
    replaceFile(historyFile(keyFile), `${JSON.stringify(history, null, 2)}\n`)
  )

const newKey = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString()

const makeKeyFile = (file: string) => attempt(file, "be written", () => replaceFile(file, newKey()))

/** Creates a file with a new key and returns its kid; undefined if the file exists, which is left unchanged. */
export const makeNew = Effect.fn("Keyring.makeNew")(function* (file: string) {
  const made = yield* attempt(file, "be written", () => makePrivate(file, newKey()))
  return made ? thumbprint(rawPublicKey(yield* readKey(file))) : undefined
})

interface Opened {
  readonly key: KeyObject
  readonly keys: ReadonlyArray<PublishedKey>
}

/**
 * Reads a key file with its history. With `make`, a missing file is created. A key that the history does not contain (an
 * operator put it there) is added as in use from now on, and the key before it becomes retired.
 */
const openKey = Effect.fnUntraced(function* (file: string, make: boolean) {
  if (!(yield* exists(file))) {
    if (!make) {
      return yield* new KeyFileUnusable({
        message: `SIGNING_KEY_FILE: ${file} does not exist; create it with: npx plumbline key new ${file}`
      })
    }
    yield* makeKeyFile(file)
  }
  const key = yield* readKey(file)
  const hex = toHex(rawPublicKey(key))
  const before = yield* readHistory(file)
  const history = entered(before, hex, yield* wholeSecond)
  if (history !== before) yield* writeHistory(file, history)
  return { key, keys: publicKeys(history) } satisfies Opened
})

const entered = (history: History, hex: string, now: string): History => {
  const last = history.keys.find(({ not_after }) => not_after === null)
  if (last?.public_key_hex === hex) return history
  return {
    keys: [
      { public_key_hex: hex, not_before: now, not_after: null },
      ...history.keys
        .filter(({ public_key_hex }) => public_key_hex !== hex)
        .map((key) => ({ ...key, not_after: key.not_after ?? now }))
    ]
  }
}

const publicKeys = (history: History): ReadonlyArray<PublishedKey> =>
  // One key signs answers and checkpoints.
  history.keys.flatMap(({ not_after, not_before, public_key_hex }) =>
    (["answers", "log"] as const).map((purpose) => ({
      purpose,
      publicKey: fromHex(public_key_hex, 32),
      announcedAt: not_before,
      notBefore: not_before,
      notAfter: not_after
    }))
  )

/**
 * Replaces the key in use and returns the kid of the new one. The old key stays in the history as retired; its private
 * half is deleted. A running service uses the new key after its next start, or at once if its own `Keyring` rotates.
 */
export const rotate = Effect.fn("Keyring.rotate")(function* (file: string) {
  yield* openKey(file, false)
  yield* makeKeyFile(file)
  const { key } = yield* openKey(file, false)
  return thumbprint(rawPublicKey(key))
})

/** True if the private half of the key file equals these bytes: a signing key must not be used for anything else. */
export const holds = Effect.fn("Keyring.holds")(function* (file: string, secret: Uint8Array) {
  const { d } = (yield* readKey(file)).export({ format: "jwk" })
  const own = Buffer.from(d ?? "", "base64url")
  return own.length === secret.length && timingSafeEqual(own, secret)
})

/** Opens the key file of a running service as its signer. */
export const makeKeyring = Effect.fnUntraced(function* (options: {
  readonly file: string
  /** True if a missing file may be created: the service's own, in `DATA_DIR`. */
  readonly make: boolean
  readonly origin: string
}) {
  const opened = yield* openKey(options.file, options.make)
  let { keys } = opened
  let key = signingKey(opened.key)
  return {
    signer: Signer.of({ key: () => key, keys: () => keys, origin: options.origin }),
    /** Switches to a new key at once and returns its kid. */
    rotate: Effect.gen(function* () {
      const kid = yield* rotate(options.file)
      const next = yield* openKey(options.file, false)
      keys = next.keys
      key = signingKey(next.key)
      return kid
    })
  }
})

const signingKey = (key: KeyObject) => ({
  kid: thumbprint(rawPublicKey(key)),
  sign: (message: Uint8Array): Uint8Array => sign(null, message, key)
})

/** Rotates the key of this process: everything after that is signed with the new key. */
export class Keyring extends Context.Service<
  Keyring,
  { /** Returns the kid of the new key. */ readonly rotate: Effect.Effect<string, KeyFileUnusable> }
>()("runtime/Keyring") {}

/** The signer backed by a key file. */
export const layer = (options: Parameters<typeof makeKeyring>[0]) =>
  Layer.effect(
    Signer,
    Effect.map(makeKeyring(options), ({ signer }) => signer)
  )

/** The same key as the log uses it to sign checkpoints. `simulated` marks the demo's log. */
export const logKey = (simulated: boolean): Layer.Layer<LogKey, never, Signer> =>
  Layer.effect(
    LogKey,
    Effect.map(Signer, (signer) =>
      LogKey.of({
        origin: signer.origin,
        publicKey: () =>
          signer.keys().find(({ notAfter }) => notAfter === null)?.publicKey ?? new Uint8Array(),
        history: signer.keys,
        sign: (message) => signer.key().sign(message),
        simulated
      })
    )
  )
