/** A mixed load: all addresses and all networks by Zipf's law, with targets among them that nobody asked for before. */
import { createHash } from "node:crypto"
import { fetchResponse } from "./http.peers.ts"
import { type Row, within } from "./row.ts"
import { runLoad } from "./runLoad.ts"

export interface Network {
  readonly symbol: string
  readonly metrics: ReadonlyArray<string>
}

/** In an order that looks random and is the same in every run. */
const shuffled = (targets: ReadonlyArray<string>): ReadonlyArray<string> =>
  targets
    .map((target) => ({ target, place: createHash("sha256").update(target).digest("hex") }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ target }) => target)

/** Of each network its page, its supply and its history. */
export const commonOf = (networks: ReadonlyArray<Network>): ReadonlyArray<string> =>
  networks.flatMap(({ metrics, symbol }) => [
    `/v1/network/${symbol}`,
    `/v1/supply?network=${symbol}`,
    `/v1/history?network=${symbol}`,
    ...metrics.slice(0, 1).map((metric) => `/v1/history?network=${symbol}&metric=${metric}&days=30`)
  ])

/** Windows of each metric, and paths that lead nowhere: each target once. */
export const freshOf = (networks: ReadonlyArray<Network>): ReadonlyArray<string> => [
  ...networks.flatMap(({ metrics, symbol }) =>
    metrics.flatMap((metric) =>
      Array.from({ length: 28 }, (_, n) => `/v1/history?network=${symbol}&metric=${metric}&days=${n + 2}`)
    )
  ),
  ...Array.from({ length: 2000 }, (_, n) => `/nothing/${n}`)
]

/** So that the common targets have been asked for before. */
export const askOnce = async (port: number, targets: ReadonlyArray<string>) => {
  const waiting = targets.values()
  const lane = async () => {
    for (const target of waiting) await fetchResponse(port, target, "gzip")
  }
  await Promise.all(Array.from({ length: 8 }, lane))
}

/** Windows of all metrics of each network: each target once, in none of the lists above. */
const wholeOf = (networks: ReadonlyArray<Network>): ReadonlyArray<string> =>
  networks.flatMap(({ symbol }) =>
    Array.from({ length: 28 }, (_, n) => `/v1/history?network=${symbol}&days=${n + 2}`)
  )

const most = 60_000

/**
 * Rows of a mixed load over `millis`, of which 5 % were never asked for, and of histories of up to 30 days alone that were
 * not: of one metric, and of a whole network.
 */
export const mixed = async (
  port: number,
  about: string,
  addresses: ReadonlyArray<string>,
  networks: ReadonlyArray<Network>,
  millis: number
): Promise<ReadonlyArray<Row>> => {
  await askOnce(port, [...addresses, ...commonOf(networks)])
  const fresh = shuffled(freshOf(networks))
  const targets = [...new Set(shuffled([...addresses, ...commonOf(networks)]))]
  const half = Math.min(fresh.length >> 1, most)
  const load = await runLoad({
    port,
    connections: 32,
    millis,
    targets,
    zipf: true,
    fresh: { percent: 5, targets: fresh.slice(0, half) },
    coding: "gzip"
  })
  const histories = fresh.slice(half).filter((target) => target.includes("days="))
  const alone = (targets: ReadonlyArray<string>) =>
    runLoad({ port, connections: 1, millis: 2000, targets, coding: "gzip" })
  const cold = await alone(histories)
  const whole = await alone(shuffled(wholeOf(networks)))
  const what = `mixed load, ${about}`
  return [
    within(`${what}: answers per second`, "answers/s", load.rate, [">=", 8000]),
    within(`${what}: p50`, "ms", load.p50, ["<=", 20]),
    within(`${what}: p99`, "ms", load.p99, ["<=", 20]),
    within(`${what}: p99.9`, "ms", load.p999, ["<=", 100]),
    within(`${what}: errors`, "answers", load.errors, ["<=", 0]),
    within(`history never asked for, ${about}: p99`, "ms", cold.p99, ["<=", 10]),
    within(`history of all metrics never asked for, ${about}: p99`, "ms", whole.p99, ["<=", 10])
  ]
}
