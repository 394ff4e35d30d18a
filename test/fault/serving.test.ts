/** The whole service as a process: what is taken from it while it runs, or is not there when it starts. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answers, checkout } from "../support/checkout.ts"
import { prepare } from "../support/dataDirectory.ts"
import { disk, mayMount, skipped } from "../support/disk.ts"
import { freePort } from "../support/freePort.ts"

const serve = (port: number, more: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "plumbline-serving-"))
      prepare(join(folder, "data"))
      const child = spawn(
        process.execPath,
        [
          "--preserve-symlinks",
          "--preserve-symlinks-main",
          join(checkout(1, "1 hour"), "runtime/bin.ts"),
          "serve"
        ],
        {
          cwd: folder,
          env: {
            HOME: folder,
            PORT: String(port),
            UPSTREAM_MAP: "stand-in.example=http://127.0.0.1:9",
            OTS_CALENDARS: "http://127.0.0.1:9",
            ESPLORA_URL: "http://127.0.0.1:9",
            ...more
          },
          stdio: ["ignore", "pipe", "pipe"]
        }
      )
      return { folder, child, ended: once(child, "exit") }
    }),
    ({ child, ended, folder }) =>
      Effect.promise(async () => {
        child.kill("SIGKILL")
        await ended
        rmSync(folder, { recursive: true, force: true })
      })
  )

describe("a service", () => {
  it.live(
    "goes on when the reader of its log goes away",
    () =>
      Effect.gen(function* () {
        const port = yield* Effect.promise(freePort)
        const { child, ended } = yield* serve(port)
        // It has announced itself: from now on nobody reads.
        yield* Effect.promise(() => once(child.stdout, "data"))
        child.stdout.destroy()
        child.stderr.destroy()
        // The plugin's upstream is not there: each of its runs is logged.
        for (let n = 0; n < 50; n++) {
          assert.isTrue(yield* Effect.promise(() => answers(port, "/v1/supply")))
        }
        assert.isNull(child.exitCode)
        child.kill("SIGTERM")
        const [code] = yield* Effect.promise(() => ended)
        // How a service ends that was told to; without its reader it had ended with 0 before.
        assert.strictEqual(code, 130)
      }),
    120_000
  )

  it.live.skipIf(!mayMount)(
    `that starts on a full disk says so in one line and ends${skipped}`,
    () =>
      Effect.gen(function* () {
        const full = yield* disk(1)
        full.fill()
        const { child, ended } = yield* serve(yield* Effect.promise(freePort), {
          DATA_DIR: join(full.path, "data")
        })
        let stderr = ""
        child.stderr.on("data", (text) => {
          stderr += String(text)
        })
        const [code] = yield* Effect.promise(() => ended)
        assert.strictEqual(code, 1)
        assert.match(stderr, /^plumbline: [^\n]*no space (is )?left on (the disk|device)[^\n]*\n$/)
      }),
    120_000
  )
})
