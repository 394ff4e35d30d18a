/** The server secret on disk: at least 32 bytes in a file that only its owner can read. */
import { randomBytes } from "node:crypto"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { Secret } from "../../core/credits/Secret.ts"
import { getOrInit } from "../database/facts.ts"
import { makePrivate } from "../outside/privateFile.ts"
import { SettingsError } from "./Settings.ts"

const least = 32

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

const attempt = <A>(file: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (error) =>
      new SettingsError({
        message: isMissing(error)
          ? `SERVER_SECRET_FILE: ${file} does not exist; create it with: npx plumbline secret new ${file}`
          : `SERVER_SECRET_FILE: ${file}: ${error instanceof Error ? error.message.replace(/\s+/g, " ") : "unreadable"}`
      })
  })

/** Creates a file with a new secret; false if the file exists, which is left unchanged. */
export const makeSecretFile = (file: string) =>
  attempt(file, () => makePrivate(file, `${randomBytes(least).toString("hex")}\n`))

interface Options {
  readonly file: string | undefined
  readonly dataDir: string
}

/** `file` if the operator names one, else `server-secret` in `dataDir`. */
export const fileOf = ({ dataDir, file }: Options): string => file ?? join(dataDir, "server-secret")

/** The secret in `fileOf`; without a `file`, it is created at the first start. */
export const layer = (options: Options) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const file = fileOf(options)
      if (options.file === undefined) {
        const there = yield* Effect.isSuccess(attempt(file, () => stat(file)))
        // If two processes start at once, both use the secret of the first.
        if (!there) yield* makeSecretFile(file)
      }
      const { mode } = yield* attempt(file, () => stat(file))
      if ((mode & 0o077) !== 0) {
        return yield* new SettingsError({
          message: `SERVER_SECRET_FILE: ${file} is readable by other users (mode ${(mode & 0o777).toString(8)}); run: chmod 600 ${file}`
        })
      }
      const text = yield* attempt(file, () => readFile(file, "utf8"))
      const bytes = new TextEncoder().encode(text.trim())
      if (bytes.length < least) {
        return yield* new SettingsError({
          message: `SERVER_SECRET_FILE: ${file} holds fewer than ${least} bytes; create another with: npx plumbline secret new <file>`
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
    if ((yield* getOrInit("server_secret", mark)) === mark) return
    return yield* new SettingsError({
      message: `SERVER_SECRET_FILE: ${file} holds another secret than the one this database was made with; put the file of that secret there`
    })
  })
