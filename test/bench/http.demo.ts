/** The demo as a whole service in a process of its own, with 30 closed days, collecting. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { freePort } from "../support/freePort.ts"
import type { Peer } from "./http.peers.ts"

export const getJson = async (port: number, path: string): Promise<unknown> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  return response.json()
}

const statusOf = async (port: number, path: string): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  await response.arrayBuffer()
  return response.status
}

/** Waits until the demo has archived its past: until then its database is busy, and its log moves with each file. */
const archived = async (port: number): Promise<void> => {
  const files = async () => (await fetch(`http://127.0.0.1:${port}/v1/archive/`)).text()
  // The file of the month that the days begin in is the last one.
  for (let n = 0; n < 300 && !(await files()).includes('"monthly/'); n++) await sleep(1000)
}

/**
 * A demo that has closed and archived all its days; the one that runs at `DEMO_PORT` already, where that is set. Nobody is
 * limited, unless it is `limited` as a service is that comes without settings.
 */
export const startDemo = async ({ limited = false } = {}): Promise<Peer> => {
  const running = process.env["DEMO_PORT"]
  if (running !== undefined) return { port: Number(running), stop: () => {} }
  const folder = mkdtempSync(join(tmpdir(), "plumbline-bench-"))
  const port = await freePort()
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("../../runtime/bin.ts", import.meta.url)), "serve", "--replay"],
    {
      cwd: folder,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        PORT: String(port),
        DATA_DIR: folder,
        ...(limited ? {} : { KEYLESS_PER_MINUTE: "off", KEYLESS_PER_DAY: "off" })
      },
      stdio: ["ignore", "pipe", "inherit"]
    }
  )
  const stop = () => {
    child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  // What it prints once its days are closed.
  for await (const line of createInterface({ input: child.stdout })) if (line.includes("Full API:")) break
  child.stdout.resume()
  if (child.exitCode !== null) throw new Error("the demo did not start")
  // The weekly brief is written next.
  for (let n = 0; n < 300 && (await statusOf(port, "/v1/brief")) !== 200; n++) await sleep(250)
  await archived(port)
  return { port, stop }
}
