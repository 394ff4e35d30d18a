/**
 * Answers of the whole demo, while it collects, beside nginx, Fastify and bare `node:http` that send the same bytes and
 * headers, each server and the load in a process of its own; then distinct targets and a mixed load. Alone:
 * `npx node test/bench/http.ts`.
 */
import { rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { networks } from "../../core/catalog/Catalog.ts"
import { type Address, assetsIn, pages, ready, refused } from "./http.addresses.ts"
import { getJson, startDemo } from "./http.demo.ts"
import { fetchResponse, type Peer, type RecordedResponse, startNginx, startServer } from "./http.peers.ts"
import { mixed, type Network } from "./mixed.ts"
import { beside, median, type Row, within } from "./row.ts"
import { loadGenerator, rateOf, runLoad } from "./runLoad.ts"

/** A day that the demo has closed. */
const day = "2026-09-03"

/** Below this size nginx answers from its cache of small files; Plumbline is compared with bare `node:http` instead. */
const small = 1000

/** Answers per second of three servers in turn: the medians of three rounds of the first two, and one of the last. */
const ratesOf = async ({ path }: Address, ports: readonly [number, number, number]) => {
  const rates: [Array<number>, Array<number>, Array<number>] = [[], [], []]
  for (const n of [0, 1, 2, 0, 1, 0, 1] as const) rates[n].push(await rateOf(ports[n], path))
  const [plumbline, fastify, other] = rates
  return { plumbline: median(plumbline), fastify: median(fastify), other: median(other) }
}

const table = async (port: number): Promise<ReadonlyArray<Row>> => {
  const home = await (await fetch(`http://127.0.0.1:${port}/`)).text()
  const addresses = [...ready(day), ...pages(day), ...assetsIn(home), ...refused]
  const responses: Array<RecordedResponse> = []
  for (const { path, status = 200 } of addresses) {
    const answer = await fetchResponse(port, path)
    if (answer.status !== status) throw new Error(`${path} has status ${answer.status}`)
    responses.push(answer)
  }
  const file = join(tmpdir(), `plumbline-answers-${process.pid}.json`)
  writeFileSync(
    file,
    JSON.stringify(responses.map((response) => ({ ...response, body: response.body.toString("base64") })))
  )
  const [fastify, bare, nginx] = await Promise.all([
    startServer("../counterparties/httpPeer.ts", "fastify", file),
    startServer("../counterparties/httpPeer.ts", "bare", file),
    startNginx(responses)
  ])
  rmSync(file)
  if (nginx === undefined) console.error("nginx is not installed: left out")
  const peers: ReadonlyArray<Peer | undefined> = [fastify, bare, nginx]
  try {
    const rows: Array<Row> = []
    for (const [n, address] of addresses.entries()) {
      const bytes = responses[n]?.body.length ?? 0
      const other = bytes < small || nginx === undefined ? bare : nginx
      const rates = await ratesOf(address, [port, fastify.port, other.port])
      const what = `${address.path} (${bytes} bytes)`
      rows.push(beside(what, "answers/s", [rates.plumbline, rates.fastify], [1, "Fastify"]))
      rows.push(
        other === bare
          ? beside(what, "answers/s", [rates.plumbline, rates.other], [0.75, "node:http"])
          : beside(what, "answers/s", [rates.plumbline, rates.other], [0.5, "nginx"])
      )
    }
    return rows
  } finally {
    for (const peer of peers) peer?.stop()
  }
}

/** The networks of the catalog and their metrics with values of today or yesterday. */
export const networksOf = async (port: number): Promise<ReadonlyArray<Network>> => {
  const catalogNetworks: Array<Network> = []
  for (const { symbol } of networks) {
    const { data = {} } = (await getJson(port, `/v1/history?network=${symbol}&days=2`)) as {
      data?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    }
    catalogNetworks.push({ symbol, metrics: Object.keys(data[symbol] ?? {}) })
  }
  return catalogNetworks
}

/** Each target once: paths that lead nowhere, and the pages of all networks, signed for each second. */
const distinct = async (
  port: number,
  catalogNetworks: ReadonlyArray<Network>
): Promise<ReadonlyArray<Row>> => {
  const ask = (targets: ReadonlyArray<string>) => runLoad({ port, connections: 32, millis: 2000, targets })
  const nowhere = await ask(Array.from({ length: 200_000 }, (_, n) => `/nothing/${n}`))
  const pages = await ask(catalogNetworks.map(({ symbol }) => `/v1/network/${symbol}`))
  return [
    within("distinct targets: paths that lead nowhere", "answers/s", nowhere.rate, [">=", 8000]),
    within("distinct targets: the pages of all networks", "answers/s", pages.rate, [">=", 8000])
  ]
}

export const run = async (): Promise<ReadonlyArray<Row>> => {
  console.error(`asked by ${loadGenerator}`)
  const demo = await startDemo()
  try {
    const catalogNetworks = await networksOf(demo.port)
    const addresses = [...ready(day), ...refused].map(({ path }) => path)
    return [
      ...(await table(demo.port)),
      ...(await distinct(demo.port, catalogNetworks)),
      ...(await mixed(demo.port, "the demo while it collects", addresses, catalogNetworks, 10_000))
    ]
  } finally {
    demo.stop()
  }
}

if (import.meta.main) {
  console.table(await run())
  process.exit()
}
