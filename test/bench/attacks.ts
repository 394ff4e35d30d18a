/**
 * What others wait while one address, or sixteen, ask the demo for what costs most: p99 beside that of the quiet seconds just before.
 * On loopback alone, with the limits of a service as it comes. Alone: `npx node test/bench/attacks.ts`.
 */
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { sampleQuery } from "../../http/api/reads.ts"
import type { Answered, Ask, Clients } from "./attacks.client.ts"
import { startDemo } from "./http.demo.ts"
import { networksOf } from "./http.ts"
import type { Network } from "./mixed.ts"
import { type Row, rounded, within } from "./row.ts"

/** Each part, quiet or attacked, in milliseconds. */
const part = 8000

/** How much longer others may wait than in the quiet part, in milliseconds. */
const most = 100

const play = async (clients: Clients): Promise<Answered> => {
  const child = spawn(process.execPath, [fileURLToPath(new URL("attacks.client.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const output = text(child.stdout)
  child.stdin.end(JSON.stringify(clients))
  return JSON.parse(await output) as Answered
}

const p99 = (values: ReadonlyArray<number> = []): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN

/** Of other addresses than the attack: what people open, and what programs read. */
const others = (port: number) =>
  play({
    port,
    addresses: ["127.9.0.1", "127.9.0.2"],
    connectionsEach: 1,
    millis: part,
    pause: 20,
    asks: [{ path: "/v1/supply?network=FIL" }, { path: "/" }]
  })

const search = "/v1/networks?query=storage%20nodes%20{n}"
const json = { "content-type": "application/json" }
const mcp = { ...json, accept: "application/json, text/event-stream" }
const find = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "find_networks", arguments: { query: "storage nodes {n}" } }
}
const joins = Array.from(
  { length: 10_000 },
  (_, n) => `FIL,active_storage_providers,2026-09-0${(n % 4) + 1}T18:00:00Z`
)

/** Pairs of networks that are compared, each once. */
const pairs = (symbols: ReadonlyArray<string>): ReadonlyArray<Ask> =>
  symbols.flatMap((a, n) => symbols.slice(n + 1, n + 21).map((b) => ({ path: `/compare?a=${a}&b=${b}` })))

/** The asks of each attack: one that is numbered, or many. */
const attacksOn = (networks: ReadonlyArray<Network>): Readonly<Record<string, Ask | ReadonlyArray<Ask>>> => ({
  search: { path: search },
  "search with a false payment": { path: search, headers: { "x-payment": "x" } },
  "search with a false key": { path: search, headers: { "x-api-key": `plk_${"A".repeat(42)}x` } },
  "search over MCP": { method: "POST", path: "/mcp/public", headers: mcp, body: JSON.stringify(find) },
  "pages that compare": pairs(networks.map(({ symbol }) => symbol)),
  pictures: networks.flatMap(({ metrics, symbol }) =>
    metrics.map((metric) => ({ path: `/network/${symbol}/${metric}/chart.png` }))
  ),
  "leaves without coding": {
    path: "/v1/log/batches/2026-09-03/leaves",
    headers: { "accept-encoding": "identity" }
  },
  "queries of growth": {
    method: "POST",
    path: "/v1/query",
    headers: json,
    body: JSON.stringify(sampleQuery)
  },
  "joins of ten thousand rows": {
    method: "POST",
    path: "/v1/asof",
    headers: { "content-type": "text/csv" },
    body: `symbol,metric,as_known_at\n${joins.join("\n")}\n`
  },
  "joins with a long header": {
    method: "POST",
    path: "/v1/asof",
    headers: { "content-type": "text/csv" },
    body: `${Array.from({ length: 185_000 }, (_, n) => n.toString(36)).join(",")}\n`
  },
  "half-sent bodies": {
    method: "POST",
    path: "/v1/query",
    headers: { ...json, "content-length": "1000" },
    body: "{"
  }
})

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const demo = await startDemo({ limited: true })
  try {
    const rows: Array<Row> = []
    const attacks = attacksOn(await networksOf(demo.port))
    for (const [name, asks] of Object.entries(attacks)) {
      for (const count of [1, 16]) {
        const quiet = await others(demo.port)
        const attack = play({
          port: demo.port,
          addresses: Array.from({ length: count }, (_, n) => `127.${20 + n}.${rows.length % 250}.1`),
          connectionsEach: count === 1 ? 16 : 2,
          millis: part,
          pause: 0,
          asks: [asks].flat()
        })
        const during = await others(demo.port)
        const { statuses } = await attack
        const from = `${name}, from ${count} ${count === 1 ? "address" : "addresses"}`
        const changes = ["API", "pages"].map(
          (what, place) =>
            `${what} ${rounded(p99(quiet.millis[place]))} to ${rounded(p99(during.millis[place]))} ms`
        )
        console.error(`${from}: ${changes.join(", ")}; ${JSON.stringify(statuses)}`)
        for (const [place, what] of ["API", "pages"].entries()) {
          const longer = p99(during.millis[place]) - p99(quiet.millis[place])
          rows.push(
            within(`${from}: others' p99 of ${what}, above the quiet one`, "ms", longer, ["<=", most])
          )
        }
      }
    }
    return rows
  } finally {
    demo.stop()
  }
}

if (import.meta.main) {
  console.table(await run())
  process.exit()
}
