/**
 * The demo from an empty folder: start to the first byte, until its thirty days are closed, and the most memory that it
 * held meanwhile. With `DEMO_MINUTES`, also the memory that it holds so long after that. `npm run bench -- demo`; alone:
 * `npx node test/bench/demo.ts`.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { answers } from "../support/checkout.ts"
import { type Row, within } from "./row.ts"
import { Misused } from "./usage.ts"

/** How long it runs on; not at all without it. */
const minutes = Number(process.env["DEMO_MINUTES"] ?? 0)
if (!(minutes >= 0)) throw new Misused("DEMO_MINUTES: not a number of minutes")

const bin = fileURLToPath(new URL("../../runtime/bin.ts", import.meta.url))

/** What a process has resident, or the most that it has had, in MiB. */
const residentMib = (pid: number, figure: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${figure}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

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
    let output = ""
    child.stdout.on("data", (chunk) => {
      output += chunk
    })
    while (!(await answers(port, "/try"))) {
      if (child.exitCode !== null) throw new Error("the demo did not start")
      await sleep(5)
    }
    const first = seconds()
    while (!output.includes("requests to try")) {
      if (child.exitCode !== null) throw new Error("the demo ended")
      await sleep(50)
    }
    const closed = seconds()
    const peak = residentMib(child.pid ?? 0, "VmHWM")
    await sleep(minutes * 60_000)
    const later = residentMib(child.pid ?? 0, "VmRSS")
    return [
      within("demo, start to the first byte", "s", first, ["<=", 6]),
      within("demo, until thirty days are closed", "s", closed, ["<=", 60]),
      within("demo, most memory held", "MiB", peak, ["<=", 1000]),
      ...(minutes === 0
        ? []
        : [within(`demo, memory held ${minutes} minutes later`, "MiB", later, ["<=", 450])])
    ]
  } finally {
    child.kill("SIGTERM")
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) console.table(await run())
