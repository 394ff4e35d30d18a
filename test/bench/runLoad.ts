/** Loads, each from a process of its own. */
import { execFile, spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { promisify } from "node:util"
import { isInstalled } from "./http.peers.ts"
import type { Load, Measured } from "./load.ts"

const exec = promisify(execFile)

export const runLoad = async (load: Load): Promise<Measured> => {
  const child = spawn(process.execPath, [new URL("load.ts", import.meta.url).pathname], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  child.stdin.end(JSON.stringify(load))
  return JSON.parse(await text(child.stdout)) as Measured
}

const hasWrk = isInstalled("wrk")

/** What asks in `rateOf`. */
export const loadGenerator = hasWrk ? "wrk" : "test/bench/load.ts"

/** Answers per second to one target for a second, over 32 connections: by Debian's wrk, which asks faster than Node can. */
export const rateOf = async (port: number, path: string): Promise<number> => {
  if (!hasWrk) return (await runLoad({ port, connections: 32, millis: 1000, targets: [path] })).rate
  const { stdout } = await exec("wrk", ["-t1", "-c32", "-d1s", `http://127.0.0.1:${port}${path}`])
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}
