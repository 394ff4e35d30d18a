/** The server secret on disk: at least 32 bytes in a file that only its owner can read. */
import { randomBytes } from "node:crypto"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { Secret } from "../../core/credits/Secret.ts"
import { program } from "../../core/process/program.ts"
import { Facts } from "../database/facts.ts"
import { makePrivate } from "../outside/privateFile.ts"
import { restoring } from "../settings/restoring.ts"
import { SettingsError } from "../settings/Settings.ts"

/** The fewest bytes of a secret. */
export const least = 32

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

/** What the database remembers of the secret that it was made with. */
export const secretFact = "server_secret"

const attempt = <A>(file: string, run: () => Promise<A>, isKnown = false) =>
  Effect.tryPromise({
    try: run,
    catch: (error) =>
      new SettingsError({
        message: isMissing(error)
          ? `SERVER_SECRET_FILE: ${file} does not exist; ${
              isKnown ? lost : `create it with: ${program} secret new ${file}`
            }`
          : `SERVER_SECRET_FILE: ${file}: ${error instanceof Error ? error.message.replace(/\s+/g, " ") : "unreadable"}`
      })
  })

/** Creates a file with a new secret; false if the file exists, which is left unchanged. */
export const makeSecretFile = (file: string) =>
  attempt(file, () => makePrivate(file, `${randomBytes(least).toString("hex")}\n`))

/** With another secret, every API key of the database would stop working. */
const lost = `this database was made with one, and takes no other. ${restoring}`

interface Options {
  readonly file: string | undefined
  readonly dataDir: string
  /** True if the database was made with a secret already, which no new one can replace. */
  readonly isKnown?: boolean
}

/** `file` if the operator names one, else `server-secret` in `dataDir`. */
export const fileOf = ({ dataDir, file }: Options): string => file ?? join(dataDir, "server-secret")

/** The secret in `fileOf`; without a `file`, it is created at the first start. */
export const layer = (options: Options) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const file = fileOf(options)
      const { isKnown = false } = options
      if (options.file === undefined && !isKnown) {
        const there = yield* Effect.isSuccess(attempt(file, () => stat(file)))
        // If two processes start at once, both use the secret of the first.
        if (!there) yield* makeSecretFile(file)
      }
      const { mode } = yield* attempt(file, () => stat(file), isKnown)
      if ((mode & 0o077) !== 0) {
        return yield* new SettingsError({
          message: `SERVER_SECRET_FILE: ${file} is readable by other users (mode ${(mode & 0o777).toString(8)}); run: chmod 600 ${file}`
        })
      }
      const text = yield* attempt(file, () => readFile(file, "utf8"))
      const bytes = new TextEncoder().encode(text.trim())
      if (bytes.length < least) {
        return yield* new SettingsError({
          message: `SERVER_SECRET_FILE: ${file} holds fewer than ${least} bytes; ${
            isKnown ? `move it away: ${lost}` : `create another with: ${program} secret new <file>`
          }`
        })
      }
      return Secret.layer(Redacted.make(bytes))
    })
  )

/**
 * Refuses a secret other than the one that the database was first used with: the stored hashes would match nothing, and
 * every API key would stop working. The database keeps only an HMAC of a fixed text.
 */
export const refuseOther = (file: string) =>
  Effect.gen(function* () {
    const { hmac } = yield* Secret
    const mark = Buffer.from(hmac("server secret", "known to the database")).toString("hex")
    const { claim } = yield* Facts
    if ((yield* claim(secretFact, mark)) === mark) return
    return yield* new SettingsError({
      message: `SERVER_SECRET_FILE: ${file} holds another secret than the one this database was made with; put the file of that secret there. ${restoring}`
    })
  })
