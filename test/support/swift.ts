/** OpenStack Swift, from Debian's packages `swift-proxy`, `swift-account`, `swift-container` and `swift-object`. */
import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { StoreServer } from "./bucketServer.ts"

/** Debian's own Python, which alone sees Debian's packages. */
const python = "/usr/bin/python3"

/** Whether Swift is installed. `.ci/run` installs it; without it, only the store in memory is tested. */
export const isInstalled = ((): boolean => {
  try {
    execFileSync(python, ["-c", "import swift.proxy, swift.account, swift.container, swift.obj"], {
      stdio: "ignore"
    })
    return true
  } catch {
    return false
  }
})()

const accessKeyId = "test:tester"
const secretAccessKey = "testing"

/** A server of its own, until its scope ends. It has no buckets. */
export const swift = Effect.acquireRelease(
  Effect.callback<StoreServer & { readonly end: () => void }, Error>((resume) => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-swift-"))
    const script = new URL("swiftServer.py", import.meta.url).pathname
    const child = spawn(python, [script, join(folder, "swift"), accessKeyId, secretAccessKey], {
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
