/**
 * Two processes on one Postgres: how long until one serves what the other wrote, and how often a reader who asks them in
 * turn gets an answer older than the one before. Alone: `npx node test/bench/replica.ts`.
 */
import { spawn } from "node:child_process"
import { Agent, get } from "node:http"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Server from "./postgres.ts"
import { median, type Row, rounded } from "./row.ts"

const writes = 200
/** Milliseconds between two answers, in the second half of the writes. */
const pause = 20

const start = async (url: string, count: number) => {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "replica.server.ts"), url, String(count)],
    {
      stdio: ["pipe", "pipe", "ignore"]
    }
  )
  const lines = createInterface(child.stdout)
  let port = 0
  const committed = new Map<number, number>()
  await new Promise<void>((resolve) => {
    lines.on("line", (line) => {
      if (port === 0 && /^\d+$/.test(line)) {
        port = Number(line)
        resolve()
      }
      const [, n, at] = /^(\d+) (\d+)$/.exec(line) ?? []
      if (n !== undefined) committed.set(Number(n), Number(at))
    })
  })
  return { child, port, committed }
}

const agent = new Agent({ keepAlive: true })

/** The value that a process serves; 0 before the first. */
const ask = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: "/v1/network/FIL", agent }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      response.on("end", () => resolve(Number(/"value":(\d+)/.exec(text)?.[1] ?? 0)))
    }).on("error", reject)
  })

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const server = await Server.start()
  const children: Array<Awaited<ReturnType<typeof start>>> = []
  try {
    await server.createDatabase("replica")
    const url = `${server.url}/replica`
    const writer = await start(url, writes)
    children.push(writer)
    const reader = await start(url, 0)
    children.push(reader)
    writer.child.stdin.write("go\n")
    const arrivals = new Map<number, number>()
    let last = 0
    let at = 0
    const tallies = {
      "without a pause": { answers: 0, backwards: 0 },
      [`every ${pause} ms`]: { answers: 0, backwards: 0 }
    }
    const [fast, slow] = Object.values(tallies)
    const until = Date.now() + 120_000
    while (!arrivals.has(writes) && Date.now() < until) {
      const { port } = at++ % 2 === 0 ? writer : reader
      const value = await ask(port)
      const counted = value <= writes / 2 ? fast : slow
      if (counted !== undefined) counted.answers++
      if (counted !== undefined && value < last) counted.backwards++
      last = value
      if (port === reader.port && !arrivals.has(value)) arrivals.set(value, Date.now())
      if (counted === slow) await new Promise((resolve) => setTimeout(resolve, pause))
    }
    // Of the half in which the reader is always there to see it.
    const lags = [...writer.committed].flatMap(([n, at]) => {
      if (n > writes / 2) return []
      const arrival = arrivals.get(n)
      return arrival === undefined ? [] : [Math.max(0, arrival - at)]
    })
    const sorted = lags.toSorted((a, b) => a - b)
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
    const lag = (what: string, value: number): Row => ({
      what: `lag of a replica, ${what} of ${lags.length} writes`,
      value: rounded(value),
      unit: "ms",
      ratio: rounded(value / 250),
      aim: "<= 250 ms"
    })
    return [
      lag("median", median(lags)),
      lag("p99", p99),
      lag("most", sorted.at(-1) ?? Number.NaN),
      ...Object.entries(tallies).map(([how, { answers, backwards }]) => ({
        what: `answers older than the one before, of ${answers} asked in turn ${how}`,
        value: backwards,
        unit: "",
        ratio: backwards,
        aim: "0"
      }))
    ]
  } finally {
    for (const { child } of children) child.kill()
    agent.destroy()
    await server.stop()
  }
}

if (import.meta.main) {
  console.table(await run())
  process.exit()
}
