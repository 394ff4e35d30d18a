/**
 * How each figure grows from 400 to 4,000 networks beside the catalog's: answers per second to lists, a network and a history,
 * lists that are made anew, and a mixed load, all while values are collected. Alone: `npx node test/bench/networks.ts`.
 */
import { startServer } from "./http.peers.ts"
import { mixed } from "./mixed.ts"
import type { Row } from "./row.ts"
import { rateOf, runLoad } from "./runLoad.ts"

const sizes = [400, 4000] as const

const metrics = ["nodes_online", "devices_total", "storage_used"]

const single = ["/v1/network/MADE7", "/v1/history?network=MADE7", "/v1/supply?network=MADE7"]
const lists = [
  "/try",
  "/v1/supply",
  "/v1/networks",
  "/v1/market",
  "/v1/revenue",
  "/v1/provenance",
  "/v1/symbols",
  "/v1/data-dictionary",
  "/v1/world"
]

const figuresOf = async (count: number): Promise<ReadonlyArray<Row>> => {
  const { port, stop } = await startServer("networks.server.ts", `${count}`)
  try {
    const networks = Array.from({ length: count }, (_, n) => ({ symbol: `MADE${n}`, metrics }))
    const paths = [...single, ...lists]
    // The greater of two rounds: in the first one the code is not compiled yet.
    const rates = new Map(paths.map((path) => [path, 0]))
    for (const path of [...paths, ...paths]) {
      rates.set(path, Math.max(rates.get(path) ?? 0, await rateOf(port, path)))
    }
    const rows = [...rates].map(
      ([what, value]): Row => ({ what, value, unit: "answers/s", ratio: 1, aim: "" })
    )
    // What a list costs when it is made anew: one caller, who is never answered from the cache.
    for (const path of lists) {
      const anew = await runLoad({ port, connections: 1, millis: 1000, targets: [path], anew: true })
      rows.push({ what: `${path} made anew`, value: anew.p50, unit: "ms", ratio: 1, aim: "" })
    }
    return [...rows, ...(await mixed(port, `${count} networks`, [...single, ...lists], networks, 8000))]
  } finally {
    stop()
  }
}

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const [few = [], many = []] = [await figuresOf(sizes[0]), await figuresOf(sizes[1])]
  return many.map((row, n): Row => {
    const peer = few[n]?.value ?? Number.NaN
    const what = row.aim === "" ? `${row.what}, ${sizes[1]} networks beside ${sizes[0]}` : row.what
    return { ...row, what, peer, ratio: Number((row.value / peer).toPrecision(3)), aim: row.aim || "beside" }
  })
}

if (import.meta.main) {
  console.table(await run())
  process.exit()
}
