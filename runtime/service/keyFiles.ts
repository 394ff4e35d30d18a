/**
 * The private halves of the signing keys on disk: PEM files that only their owner can read. While a rotation is under way,
 * the new key is in `<file>.next` beside the old one; afterwards the old one is in `<file>.retired-<kid>`.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  timingSafeEqual
} from "node:crypto"
import { constants } from "node:fs"
import { access, link, readFile, rename, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option, Schema } from "effect"
import { program } from "../../core/process/program.ts"
import { type PublishedKey, thumbprint } from "../../core/proof/keys.ts"
import { type DiskError, onDisk } from "../outside/disk.ts"
import { makePrivate } from "../outside/privateFile.ts"
import { restoring } from "../settings/restoring.ts"
import type { Settings } from "../settings/Settings.ts"

/** A key or its file that cannot be used. The message names it and says what to do. */
export class KeyUnusable extends Schema.TaggedError<KeyUnusable>()("KeyUnusable", {
  message: Schema.String
}) {}

/** What a key signs. */
export type Purpose = PublishedKey["purpose"]

export const purposes = ["answers", "log"] as const

/** The settings that name the files. */
export const settingOf: Readonly<Record<Purpose, string>> = {
  answers: "SIGNING_KEY_FILE",
  log: "LOG_KEY_FILE"
}

export interface KeyFile {
  readonly purpose: Purpose
  readonly file: string
  /** True for the service's own file in `DATA_DIR`, which the first start makes. */
  readonly own: boolean
}

/** The file of each key: the one in the settings, else one in `DATA_DIR`. */
export const keyFilesOf = (
  settings: Pick<Settings["Service"], "dataDir" | "logKeyFile" | "signingKeyFile">
): Readonly<Record<Purpose, KeyFile>> => {
  const fileOf = (purpose: Purpose, configured: Option.Option<string>, name: string): KeyFile => ({
    purpose,
    file: Option.getOrElse(configured, () => join(settings.dataDir, name)),
    own: Option.isNone(configured)
  })
  return {
    answers: fileOf("answers", settings.signingKeyFile, "signing-key.pem"),
    log: fileOf("log", settings.logKeyFile, "log-key.pem")
  }
}

/** Where the next key is while a rotation is under way. */
export const nextOf = (file: string): string => `${file}.next`

/** Where a key is that does not sign any more. */
export const retiredOf = (file: string, kid: string): string => `${file}.retired-${kid}`

/** A key with its private half. */
export interface Half {
  readonly kid: string
  readonly publicKey: Uint8Array
  readonly sign: (message: Uint8Array) => Uint8Array
}

const attempt = <A>(file: string, doing: string, work: () => Promise<A>): Effect.Effect<A, KeyUnusable> =>
  Effect.mapError(
    onDisk(work),
    ({ message }: DiskError) =>
      new KeyUnusable({ message: `${file}: cannot ${doing}: ${message.replace(/\s+/g, " ")}` })
  )

export const exists = (file: string): Effect.Effect<boolean> =>
  Effect.isSuccess(onDisk(() => access(file, constants.F_OK)))

const readPrivate = Effect.fnUntraced(function* (purpose: Purpose, file: string) {
  const setting = settingOf[purpose]
  if (!(yield* exists(file))) {
    return yield* new KeyUnusable({
      message: `${setting}: ${file} does not exist. ${restoring}; only for a new database, create it with: ${program} key new`
    })
  }
  const { mode } = yield* attempt(file, "be inspected", () => stat(file))
  if ((mode & 0o077) !== 0) {
    return yield* new KeyUnusable({
      message: `${setting}: ${file} is readable by other users (mode ${(mode & 0o777).toString(8)}); run: chmod 600 ${file}`
    })
  }
  const pem = yield* attempt(file, "be read", () => readFile(file))
  const key = yield* Effect.try({
    try: () => createPrivateKey(pem),
    catch: () =>
      new KeyUnusable({
        message: `${setting}: ${file} is not a PEM private key; move it away. ${restoring}`
      })
  })
  if (key.asymmetricKeyType !== "ed25519") {
    return yield* new KeyUnusable({
      message: `${setting}: ${file} is not an Ed25519 key; name the right file, or move this one away. ${restoring}`
    })
  }
  return key
})

const half = (key: KeyObject): Half => {
  const { x } = createPublicKey(key).export({ format: "jwk" })
  const publicKey = new Uint8Array(Buffer.from(x ?? "", "base64url"))
  return { kid: thumbprint(publicKey), publicKey, sign: (message) => sign(null, message, key) }
}

/** The id of the key in a PEM text; one that cannot be read has a name of its own. */
export const kidOfPem = (pem: string): string => {
  try {
    return half(createPrivateKey(pem)).kid
  } catch {
    return `unreadable-${createHash("sha256").update(pem).digest("hex").slice(0, 16)}`
  }
}

/** Reads a key file. */
export const readHalf = (purpose: Purpose, file: string) => Effect.map(readPrivate(purpose, file), half)

/**
 * The key in the file, during a rotation the one beside it, and those of `kids` that are there as retired ones: a database
 * from before a rotation, or a clock that was wrong at its end, needs them again.
 */
export const readHalves = Effect.fnUntraced(function* (
  { file, purpose }: KeyFile,
  kids: Iterable<string> = []
) {
  const others = yield* Effect.filter([nextOf(file), ...[...kids].map((kid) => retiredOf(file, kid))], exists)
  return yield* Effect.forEach([file, ...others], (one) => readHalf(purpose, one))
})

/** Creates a file with a new key; false if the file exists, which is left unchanged. */
export const makeKeyFile = (file: string): Effect.Effect<boolean, KeyUnusable> =>
  attempt(file, "be written", () =>
    makePrivate(
      file,
      generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString()
    )
  )

/**
 * Puts the next key in the place of the old one, once the old one has signed for the last time. The old one gets its other
 * name first: a private key that ever signed is never removed.
 */
export const promote = ({ file }: KeyFile, kid: string): Effect.Effect<void, KeyUnusable> =>
  attempt(file, "be replaced", async () => {
    await link(file, retiredOf(file, kid)).catch((error: unknown) => {
      // From a rotation that was killed in between: the name says which key it is.
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
    })
    await rename(nextOf(file), file)
  })

/** True if the private half of the file equals these bytes: a signing key must not be used for anything else. */
export const holds = Effect.fnUntraced(function* ({ file, purpose }: KeyFile, secret: Uint8Array) {
  if (!(yield* exists(file))) return false
  const { d } = (yield* readPrivate(purpose, file)).export({ format: "jwk" })
  const own = Buffer.from(d ?? "", "base64url")
  return own.length === secret.length && timingSafeEqual(own, secret)
})
