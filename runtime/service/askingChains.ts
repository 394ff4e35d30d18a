/** The nodes in the settings whose operators are asked which blocks are blocks of their chain. */
import { readFile } from "node:fs/promises"
import { Effect, Layer, Option } from "effect"
import { leastOperators } from "../../core/proof/chain/canonicalBlock.ts"
import { mostOperators } from "../../core/proof/chainLooks.ts"
import { beacons } from "../../core/proof/finality/beacon.ts"
import { ChainLooksLog } from "../../core/publications/looks/ChainLooksLog.ts"
import type { ChainNode } from "../../core/publications/looks/ChainNodes.ts"
import * as Http from "../outside/chainNodes.ts"
import { Settings, SettingsError } from "../settings/Settings.ts"

const refuse = (message: string) => new SettingsError({ message: `CHAIN_LOOKS: ${message}` })

/** A line, or a part of one between commas: the chain by CAIP-2, who operates the node, its address, and that of his beacon API. */
const form = /^([-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32})\s+(\S{1,100})\s+(\S+)(?:\s+(\S+))?$/

const example = "<chain by CAIP-2> <operator> https://node.example.org"

const partsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/[\n,]/)
    .map((part) => part.trim())
    .filter((part) => part !== "" && !part.startsWith("#"))

/** The parts of the setting, or of the file that it names. */
const readParts = Effect.fnUntraced(function* (setting: string) {
  const parts = partsOf(setting)
  if (parts.length !== 1 || /\s/.test(parts[0] ?? "")) return parts
  const file = yield* Effect.tryPromise({
    try: () => readFile(setting.trim(), "utf8"),
    catch: (error) =>
      refuse(
        `the file "${setting.trim()}" cannot be read: ${error instanceof Error ? error.message : String(error)}`
      )
  })
  return partsOf(file)
})

/** True for an address that may carry what others confirm anyway: https, or a process of the same machine. */
const isAddress = ({ hash, hostname, protocol, username }: URL): boolean =>
  (protocol === "https:" || (protocol === "http:" && /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(hostname))) &&
  hash + username === ""

const addressIn = Effect.fnUntraced(function* (address: string, operator: string) {
  const url = URL.parse(address)
  return url !== null && isAddress(url)
    ? url.href
    : yield* refuse(`"${address.slice(0, 120)}" of ${operator} is not an https address (expected ${example})`)
})

const nodeOf = Effect.fnUntraced(function* (part: string) {
  const [, chain, operator, address = "", beacon] = form.exec(part) ?? []
  if (chain === undefined || operator === undefined)
    return yield* refuse(`"${part.slice(0, 120)}" names no node (expected ${example})`)
  if (!Http.canAsk(chain))
    return yield* refuse(
      `${chain} is a chain whose nodes cannot be asked (polkadot:, eip155: and cosmos: can)`
    )
  const url = yield* addressIn(address, operator)
  if (beacon === undefined) return { chain, operator, url } satisfies ChainNode
  if (!beacons.has(chain))
    return yield* refuse(`${chain} has no beacon chain that is read: name one address of ${operator}`)
  return { chain, operator, url, beacon: yield* addressIn(beacon, operator) } satisfies ChainNode
})

/** Nodes of one operator, or of one host, are one word: of each chain at least two others are needed. */
const requireOthers = Effect.fnUntraced(function* (all: ReadonlyArray<ChainNode>) {
  for (const [chain, nodes] of Map.groupBy(all, (node) => node.chain)) {
    const operators = new Set(nodes.map(({ operator }) => operator.toLowerCase()))
    const hosts = new Set(nodes.map(({ url }) => new URL(url).host))
    if (operators.size < nodes.length || hosts.size < nodes.length)
      return yield* refuse(`${chain} has an operator or a host twice; name nodes of different operators`)
    if (nodes.length < leastOperators)
      return yield* refuse(
        `${chain} has ${nodes.length} operator; name at least ${leastOperators}, better three, so that one may be away`
      )
    if (nodes.length > mostOperators)
      return yield* refuse(`${chain} has ${nodes.length} operators; name at most ${mostOperators}`)
  }
})

/** The nodes of a setting. */
const nodesIn = Effect.fnUntraced(function* (setting: string) {
  const parts = yield* readParts(setting)
  if (parts.length === 0) return yield* refuse(`it names nobody (expected ${example})`)
  const all = yield* Effect.forEach(parts, nodeOf)
  yield* requireOthers(all)
  return all
})

/** The nodes. A replay asks nobody: its blocks are made up. */
export const nodes = (mode: "live" | "mapped" | "replay") =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { chainLooks: setting } = yield* Settings
      return Http.layer(mode === "replay" || Option.isNone(setting) ? [] : yield* nodesIn(setting.value))
    })
  )

/** What is asked of these. */
export const layer = (mode: "live" | "mapped" | "replay") =>
  ChainLooksLog.layer.pipe(Layer.provideMerge(nodes(mode)))
