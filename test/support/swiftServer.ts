/** OpenStack Swift, from Debian's packages `swift-proxy`, `swift-account`, `swift-container` and `swift-object`. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { StoreServer } from "./bucketServer.ts"
import { pathOf } from "./programs.ts"

const accessKeyId = "test:tester"
const secretAccessKey = "testing"

/** A server of its own, until its scope ends. It has no buckets. */
export const swiftServer = Effect.acquireRelease(
  Effect.callback<StoreServer & { readonly end: () => void }, Error>((resume) => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-swift-"))
    const script = new URL("swiftServer.py", import.meta.url).pathname
    const child = spawn(pathOf("python"), [script, join(folder, "swift"), accessKeyId, secretAccessKey], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    const end = () => {
      child.stdin.end()
      child.kill("SIGKILL")
      rmSync(folder, { recursive: true, force: true })
    }
    child.once("exit", (code) => resume(Effect.fail(new Error(`Swift ended with ${code}`))))
    child.stdout.once("data", (port) => {
      const endpoint = `http://127.0.0.1:${String(port).trim()}`
      resume(Effect.succeed({ endpoint, accessKeyId, secretAccessKey, end }))
    })
  }),
  ({ end }) => Effect.sync(end)
)
