/** The demo as people start it, in a process of its own. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { makeSecretFile } from "../../runtime/service/secret.ts"
import { freePort } from "./freePort.ts"
import { plumblineHere } from "./plumbline.ts"

const program = new URL("../../runtime/plumbline.js", import.meta.url).pathname

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-demo-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The settings of a demo on an empty Postgres: replicas share keys, which are made here. */
export const onPostgres = Effect.fnUntraced(function* (databaseUrl: string, baseUrl: string) {
  const folder = yield* temporary
  const settings = {
    DATABASE_URL: databaseUrl,
    BASE_URL: baseUrl,
    SIGNING_KEY_FILE: join(folder, "signing-key.pem"),
    LOG_KEY_FILE: join(folder, "log-key.pem"),
    SERVER_SECRET_FILE: join(folder, "server-secret")
  }
  yield* Effect.orDie(makeSecretFile(settings.SERVER_SECRET_FILE))
  yield* plumblineHere(settings, "key", "new")
  return settings
})

/** Starts it with these settings, and waits until its terminal has `line`; it ends with the scope. */
export const startDemo = Effect.fnUntraced(function* (
  line: string,
  settings: Readonly<Record<string, string>> = {}
) {
  const folder = yield* temporary
  const port = yield* Effect.promise(freePort)
  const { demo, terminal } = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const demo = spawn(process.execPath, [program, "serve", "--replay"], {
        env: {
          PATH: process.env["PATH"],
          HOME: folder,
          DATA_DIR: join(folder, "demo"),
          PORT: `${port}`,
          ...settings
        },
        stdio: ["ignore", "pipe", "inherit"]
      })
      let terminal = ""
      for await (const part of demo.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
        terminal += part
        if (terminal.includes(line)) break
      }
      demo.stdout.resume()
      return { demo, terminal }
    }),
    ({ demo }) =>
      Effect.promise(async () => {
        if (demo.exitCode !== null) return
        const ended = once(demo, "exit")
        demo.kill("SIGKILL")
        await ended
      })
  )
  const kid = (purpose: string) => terminal.match(new RegExp(`^ +${purpose}: +(\\S+)$`, "m"))?.[1] ?? ""
  return {
    folder,
    pid: demo.pid,
    base: `http://127.0.0.1:${port}`,
    terminal,
    keys: { answers: kid("answers"), log: kid("log") }
  }
})
