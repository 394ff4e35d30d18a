/**
 * The demo from an empty folder: start to the first byte, until its thirty days are closed, and the most memory that it
 * held meanwhile. `npm run bench -- demo`; alone: `npx node test/bench/demo.ts`.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { answers } from "../support/checkout.ts"
import { type Row, within } from "./row.ts"

const bin = fileURLToPath(new URL("../../runtime/bin.ts", import.meta.url))

/** The most that a process has had resident, in MiB. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-bench-"))
  const port = 18474
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  const child = spawn(process.execPath, [bin, "serve", "--replay"], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      PORT: String(port),
      DATA_DIR: join(folder, "data")
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  try {
    let said = ""
    child.stdout.on("data", (chunk) => {
      said += chunk
    })
    while (!(await answers(port, "/try"))) {
      if (child.exitCode !== null) throw new Error("the demo did not start")
      await sleep(5)
    }
    const first = seconds()
    while (!said.includes("requests to try")) {
      if (child.exitCode !== null) throw new Error("the demo ended")
      await sleep(50)
    }
    const closed = seconds()
    const peak = peakOf(child.pid ?? 0)
    return [
      within("demo, start to the first byte", "s", first, ["<=", 6]),
      within("demo, until thirty days are closed", "s", closed, ["<=", 60]),
      within("demo, most memory held", "MiB", peak, ["<=", 1000])
    ]
  } finally {
    child.kill("SIGTERM")
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) console.table(await run())
