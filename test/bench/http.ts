/**
 * Hot signed GETs beside Fastify and bare `node:http` that send the same bytes unsigned. Every server and
 * the load have a process of their own; the runs are interleaved, and the median of five counts.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { promisify } from "node:util"

export interface Result {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** The figure of what it is compared with. */
  readonly peer: number
  readonly ratio: number
  readonly aim: string
}

const file = (name: string) => new URL(name, import.meta.url).pathname

const start = async (...args: ReadonlyArray<string>): Promise<{ child: ChildProcess; port: string }> => {
  const child = spawn(process.execPath, [file("http.server.ts"), ...args], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  for await (const line of createInterface({ input: child.stdout })) return { child, port: line.trim() }
  throw new Error(`${args[0]} did not start`)
}

const exec = promisify(execFile)

const rate = async (port: string, path: string): Promise<number> => {
  const request = [`GET ${path} HTTP/1.1`, "Host: 127.0.0.1", "Accept-Encoding: gzip", "", ""].join("\r\n")
  const { stdout } = await exec(process.execPath, [
    file("load.ts"),
    port,
    "32",
    "1500",
    Buffer.from(request).toString("base64")
  ])
  return Number(stdout)
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const run = async (): Promise<ReadonlyArray<Result>> => {
  const ours = await start("plumbline")
  const servers = {
    plumbline: ours,
    fastify: await start("fastify", ours.port),
    bare: await start("bare", ours.port)
  }
  const rows: Array<Result> = []
  try {
    for (const path of ["/v1/supply", "/v1/market", "/v1/network/FIL"]) {
      const rates = {
        plumbline: [] as Array<number>,
        fastify: [] as Array<number>,
        bare: [] as Array<number>
      }
      for (let round = 0; round < 5; round++) {
        for (const name of ["plumbline", "fastify", "bare"] as const) {
          rates[name].push(await rate(servers[name].port, path))
        }
      }
      const value = median(rates.plumbline)
      for (const [peer, aim] of [
        ["fastify", ">= 1"],
        ["bare", "beside"]
      ] as const) {
        const beside = median(rates[peer])
        rows.push({
          what: `signed GET ${path} beside ${peer === "bare" ? "bare node:http" : "Fastify"}, unsigned`,
          value: Math.round(value),
          unit: "answers/s",
          peer: Math.round(beside),
          ratio: Math.round((value / beside) * 100) / 100,
          aim
        })
      }
    }
  } finally {
    for (const { child } of Object.values(servers)) child.kill()
  }
  return rows
}

if (import.meta.main) console.table(await run())
