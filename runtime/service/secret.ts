/** The server's secret on disk: 32 bytes or more of a file of its owner alone, made where no file is named. */
import { randomBytes } from "node:crypto"
import { chmod, link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { Secret } from "../../core/credits/Secret.ts"
import { SettingsError } from "./Settings.ts"

const least = 32

const attempt = <A>(file: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (error) =>
      new SettingsError({
        message: `SERVER_SECRET_FILE: ${file}: ${error instanceof Error ? error.message.replace(/\s+/g, " ") : "unreadable"}`
      })
  })

/** Puts a new secret there unless one is there already: of two that start at once both use the first's. */
const make = async (file: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const beside = `${file}.${process.pid}`
  await writeFile(beside, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flush: true })
  await chmod(beside, 0o600)
  await link(beside, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error
  })
  await rm(beside)
}

/** `file` where the operator names one, else `server-secret` in `dataDir`, made at the first start. */
export const layer = (options: { readonly file: string | undefined; readonly dataDir: string }) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const file = options.file ?? join(options.dataDir, "server-secret")
      if (options.file === undefined) {
        const there = yield* Effect.promise(() =>
          stat(file).then(
            () => true,
            () => false
          )
        )
        if (!there) yield* attempt(file, () => make(file))
      }
      const { mode } = yield* attempt(file, () => stat(file))
      if ((mode & 0o077) !== 0) {
        return yield* new SettingsError({
          message: `SERVER_SECRET_FILE: ${file}: others may read it (mode ${(mode & 0o777).toString(8)}); run chmod 600 on it`
        })
      }
      const text = yield* attempt(file, () => readFile(file, "utf8"))
      const bytes = new TextEncoder().encode(text.trim())
      if (bytes.length < least) {
        return yield* new SettingsError({
          message: `SERVER_SECRET_FILE: ${file}: it holds fewer than ${least} bytes`
        })
      }
      return Secret.layer(Redacted.make(bytes))
    })
  )
