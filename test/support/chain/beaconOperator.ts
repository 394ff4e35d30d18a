/** An operator of nodes of Ethereum and of its beacon chain, over HTTP: a committee that really signs, and what goes wrong. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { Effect } from "effect"
import { fromHex, toHex } from "../../../core/proof/bytes.ts"
import type { ToldBlock } from "../../../core/proof/chain/evmHeader.ts"
import { startScriptedServer } from "../scriptedServer.ts"
import { beaconApi, type Signing } from "./beacon.ts"
import { account, patricia, rlp, unsigned, word } from "./evm.ts"

const zero = `0x${"00".repeat(32)}`

/** A block over a state, as a node tells it. */
export const blockOver = (number: number, stateRoot: Uint8Array): ToldBlock => {
  const members = {
    parentHash: zero,
    sha3Uncles: zero,
    miner: `0x${"00".repeat(20)}`,
    stateRoot: `0x${toHex(stateRoot)}`,
    transactionsRoot: zero,
    receiptsRoot: zero,
    logsBloom: `0x${"00".repeat(256)}`,
    difficulty: "0x0",
    number: `0x${number.toString(16)}`,
    gasLimit: "0x1c9c380",
    gasUsed: "0x0",
    timestamp: "0x6ab0a780",
    extraData: "0x",
    mixHash: zero,
    nonce: "0x0000000000000000",
    baseFeePerGas: "0x7"
  }
  const header = rlp(
    Object.entries(members).map(([name, text]) =>
      /^(difficulty|number|gas|timestamp|base)/.test(name) ? unsigned(BigInt(text)) : fromHex(text.slice(2))
    )
  )
  return { ...members, hash: `0x${toHex(keccak_256(header))}` }
}

export const hashOf = (block: ToldBlock): string => String(block["hash"]).slice(2)

const contract = fromHex("0000f90827f1c53a10cb7a02335b175320002935")

/** A chain of two blocks of which the later one is final and keeps the hash of the earlier one, or another. */
export const chainAfter = (
  earlier: ToldBlock = blockOver(1_000_000, new Uint8Array(32).fill(7)),
  keeps = hashOf(earlier)
) => {
  const number = Number(earlier["number"])
  const slot = word(BigInt(number % 8191))
  const storage = patricia([[slot, rlp(unsigned(BigInt(`0x${keeps}`)))]])
  const state = patricia([[contract, account(storage.root, new Uint8Array(32).fill(1))]])
  const final = blockOver(number + 64, state.root)
  const hexes = (trie: typeof state) => [...trie.nodes.values()].map((node) => `0x${toHex(node)}`)
  return { earlier, final, proof: { accountProof: hexes(state), storageProof: [{ proof: hexes(storage) }] } }
}

export interface OperatorOptions {
  /** The final block by the beacon chain. Default: that of the chain. */
  readonly finalBlock?: ToldBlock
  /** Slots that have no block. */
  readonly missing?: ReadonlyArray<string>
  readonly signing?: Signing
  /** Ends answers of the beacon chain in the middle, or answers none of them. */
  readonly fault?: "cut" | "late"
}

/** The two servers of an operator in one, and what was asked of them. */
export const startOperator = Effect.fnUntraced(function* (
  { earlier, final, proof }: ReturnType<typeof chainAfter>,
  { fault, finalBlock = final, missing = [], signing = {} }: OperatorOptions = {}
) {
  const api = beaconApi(Number(finalBlock["number"]), hashOf(finalBlock), signing)
  const requests: Array<string> = []
  const server = yield* startScriptedServer
  const root = "0x".padEnd(66, "ab")
  const ofBeacon = (path: string): unknown => {
    if (path.endsWith("finality_update")) return { version: "fulu", data: api.update }
    if (path.endsWith(`bootstrap/${root}`)) return { version: "fulu", data: api.bootstrap }
    if (path.includes("/updates?")) return api.periods
    return path.includes("/headers/") && !missing.some((slot) => path.endsWith(slot))
      ? { data: { root, canonical: true } }
      : undefined
  }
  server.handle = (request, response, body) => {
    const path = request.url ?? ""
    if (request.method === "GET") {
      requests.push(path)
      if (fault === "late") return
      const answer = ofBeacon(path)
      const text = JSON.stringify(answer) ?? ""
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" })
      response.end(fault === "cut" ? text.slice(0, text.length / 2) : text)
      return
    }
    const { id, method, params } = JSON.parse(body)
    requests.push(method)
    const blocks: Readonly<Record<string, unknown>> = {
      [String(earlier["number"])]: earlier,
      [String(final["number"])]: final,
      finalized: final
    }
    const result = method === "eth_chainId" ? "0x1" : method === "eth_getProof" ? proof : blocks[params[0]]
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
  }
  return { api, requests, url: server.url }
})
