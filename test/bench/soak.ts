/**
 * Whether memory is flat: the whole service on the embedded engine, collecting and reading at 20 times the usual cadence
 * for an hour, or for the minutes of `SOAK_MINUTES`. `npm run bench -- soak`; alone: `npx node test/bench/soak.ts`.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { flag } from "../../runtime/cli/smallProcess.ts"
import { answers, checkout } from "../support/checkout.ts"
import { type Row, rounded } from "./row.ts"
import type { Memory } from "./soak.memory.ts"
import { Misused } from "./usage.ts"

const minutes = Number(process.env["SOAK_MINUTES"] ?? 60)
if (!(minutes > 0)) throw new Misused("SOAK_MINUTES: not a number of minutes")

const plugins = 100
/** A quarter of an hour, 20 times as often. */
const every = "45 seconds"

/** A page that holds most networks, one of a single network, a long one, and one that is always refused. */
const paths = [
  "/v1/supply",
  "/v1/network/FIL",
  "/v1/history?network=FIL&metric=nodes_online&days=30",
  "/v1/no-such"
]
const readsPerSecond = 20

/** The least that was held in a part of the time: garbage that waits for its collector is no leak. */
const least = (samples: ReadonlyArray<Memory>, thread: string): number =>
  Math.min(...samples.flatMap((memory) => (memory[thread] === undefined ? [] : [memory[thread]])))

/** Growth from the middle to the end that is still called flat. */
const tolerance = 1.1

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-soak-"))
  let requests = 0
  const standIn = createServer((_, response) => response.end(`{"nodes": ${1000 + (requests++ % 100)}}`))
  await new Promise<void>((resolve) => standIn.listen(0, "127.0.0.1", resolve))
  const address = standIn.address()
  const port = 18473
  const child = spawn(
    process.execPath,
    [
      flag,
      "--preserve-symlinks",
      "--preserve-symlinks-main",
      "--import",
      new URL("soak.memory.ts", import.meta.url).href,
      join(checkout(plugins, every), "runtime/bin.ts"),
      "serve"
    ],
    {
      cwd: folder,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        PORT: String(port),
        DATA_DIR: join(folder, "data"),
        KEYLESS_PER_MINUTE: "off",
        KEYLESS_PER_DAY: "off",
        UPSTREAM_MAP: `stand-in.example=http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
        OTS_CALENDARS: "http://127.0.0.1:9",
        ESPLORA_URL: "http://127.0.0.1:9"
      },
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    }
  )
  const ended = new Promise((resolve) => child.once("exit", resolve))
  const samples: Array<Memory> = []
  try {
    while (!(await answers(port, "/v1/supply"))) {
      if (child.exitCode !== null) throw new Error("the service did not start")
      await sleep(50)
    }
    child.on("message", (memory: Memory) => samples.push(memory))
    const end = performance.now() + minutes * 60_000
    for (let n = 0; performance.now() < end && child.exitCode === null; n++) {
      await Promise.all([answers(port, paths[n % paths.length] ?? "/"), sleep(1000 / readsPerSecond)])
    }
    if (child.exitCode !== null) throw new Error("the service ended")
  } finally {
    child.kill("SIGTERM")
    await ended
    standIn.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const part = Math.max(1, Math.floor(samples.length / 10))
  const middle = Math.floor((samples.length - part) / 2)
  const parts = [samples.slice(0, part), samples.slice(middle, middle + part), samples.slice(-part)] as const
  const threads = new Set(samples.flatMap((memory) => Object.keys(memory)))
  return [...threads].map((thread): Row => {
    const [first, half, last] = parts.map((some) => rounded(least(some, thread)))
    const ratio = rounded((last ?? Number.NaN) / (half ?? Number.NaN))
    return {
      what: `${thread}, start ${first}, middle ${half}, end of ${minutes} min: ${ratio < tolerance ? "flat" : "grows"}`,
      value: last ?? Number.NaN,
      unit: "MiB",
      ratio,
      aim: `< ${tolerance} of the middle`
    }
  })
}

if (import.meta.main) {
  console.table(await run())
  process.exit(0)
}
