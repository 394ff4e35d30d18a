/** Nodes of a Substrate chain that speak JSON-RPC over a real trie, and what goes wrong with them. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { type Request, Upstream, UpstreamUnreachable } from "../../../core/plugin/Upstream.ts"
import { fromHex, toHex } from "../../../core/proof/bytes.ts"
import type { ReadOfChain } from "../../../core/proof/chain/proofOfRead.ts"
import { encodeHeader, type ToldHeader } from "../../../core/proof/chain/substrateHeader.ts"
import { blake2b256 } from "../../../core/proof/chain/substrateTrie.ts"
import { type Entry, radix, readIn, type Trie } from "../../../runtime/tape/substrateTrie.ts"

export type Fault =
  /** Does not have the method, as many public nodes. */
  | "no proofs"
  /** Refuses batches, and answers single calls. */
  | "no batches"
  /** Never answers a request for a proof. */
  | "late"
  /** Leaves nodes of the trie out. */
  | "cut"
  /** Gives the header and the proof of another block. */
  | "another block"
  /** Gives the proof of other keys. */
  | "other keys"
  /** Changes a byte of each node. */
  | "damaged"
  /** Says that every value is one byte 9, when it is asked without a proof. */
  | "another value"
  /** Does not know the block. */
  | "behind"

export interface Chain {
  readonly genesis: string
  readonly hash: string
  readonly header: ToldHeader
  readonly trie: Trie
  readonly values: ReadonlyMap<string, string>
}

const hex = (bytes: Uint8Array): string => `0x${toHex(bytes)}`
const bytesOf = (text: string): Uint8Array => fromHex(text.slice(2))

/** A chain whose newest block has these entries. */
export const chainOf = (entries: ReadonlyArray<Entry>, version: 0 | 1 = 1, number = 4321): Chain => {
  const trie = radix(entries, version)
  const header: ToldHeader = {
    parentHash: hex(new Uint8Array(32).fill(7)),
    number: `0x${number.toString(16)}`,
    stateRoot: hex(trie.root),
    extrinsicsRoot: hex(new Uint8Array(32).fill(9)),
    digest: { logs: ["0x066175726120a1b2c3d400000000", "0x0561757261010102"] }
  }
  return {
    genesis: `0x${"91b171bb158e2d3848fa23a9f1c25182".padEnd(64, "0")}`,
    hash: hex(blake2b256(encodeHeader(header))),
    header,
    trie,
    values: new Map(entries.map(([key, value]) => [hex(key), hex(value)]))
  }
}

/** What an honest node tells of these keys. */
export const readOf = (chain: Chain, keys: ReadonlyArray<string>): ReadOfChain => ({
  genesis: chain.genesis,
  hash: chain.hash,
  header: chain.header,
  nodes: proofOf(chain, keys, undefined)
})

interface RpcCall {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<never>
}

const error = (code: number, message: string) => ({ error: { code, message } })

const damaged = (node: string): string => `${node.slice(0, -1)}${node.endsWith("0") ? "1" : "0"}`

/** The nodes of the trie that a node gives for these keys. */
const proofOf = ({ trie }: Chain, keys: ReadonlyArray<string>, fault: Fault | undefined) => {
  const requested = fault === "other keys" ? keys.map((key) => `${key.slice(0, -2)}ff`) : keys
  const nodes = readIn(trie, requested.map(bytesOf)).nodes.map(hex)
  if (fault === "damaged") return nodes.map(damaged)
  return fault === "cut" ? nodes.slice(0, Math.ceil(nodes.length / 2)) : nodes
}

const resultOf = (chain: Chain, { method, params }: RpcCall, fault: Fault | undefined) => {
  const [first, second] = params as ReadonlyArray<unknown>
  const keys = Array.isArray(first) ? (first as ReadonlyArray<string>) : []
  const at = method === "chain_getHeader" ? first : second
  if (method === "chain_getFinalizedHead") return { result: chain.hash }
  if (method === "chain_getBlockHash") return { result: chain.genesis }
  if (method === "state_getReadProof" && fault === "no proofs") return error(-32601, "Method not found")
  if (fault === "behind" && at === chain.hash) return error(-32000, "UnknownBlock: Header was not found")
  if (method === "chain_getHeader")
    return { result: fault === "another block" ? { ...chain.header, number: "0x7" } : chain.header }
  if (method === "state_getReadProof")
    return { result: { at: chain.hash, proof: proofOf(chain, keys, fault) } }
  if (method === "state_getKeysPaged") {
    const prefix = String(first)
    return { result: [...chain.values.keys()].filter((key) => key.startsWith(prefix)).sort() }
  }
  if (method === "state_queryStorageAt") {
    const value = (key: string) => (fault === "another value" ? "0x09" : (chain.values.get(key) ?? null))
    return { result: [{ block: chain.hash, changes: keys.map((key) => [key, value(key)]) }] }
  }
  return error(-32601, "Method not found")
}

/** What a node answers to the body of a POST; undefined where it never does. */
export const answerOf = (
  chain: Chain,
  body: string,
  faults: ReadonlyArray<Fault> = []
): string | undefined => {
  const request: RpcCall | ReadonlyArray<RpcCall> = JSON.parse(body)
  if ("method" in request) {
    const fault = faults.find(
      (one) => resultOf(chain, request, one) !== undefined && applies(request.method, one)
    )
    if (fault === "late") return undefined
    return JSON.stringify({ jsonrpc: "2.0", id: request.id, ...resultOf(chain, request, fault) })
  }
  if (faults.includes("no batches"))
    return JSON.stringify({
      jsonrpc: "2.0",
      id: null,
      ...error(-32005, "Batched requests are not supported by this server")
    })
  const replies = request.map((one) => answerOf(chain, JSON.stringify(one), faults))
  return replies.every((reply) => reply !== undefined) ? `[${replies.join(",")}]` : undefined
}

/** Which calls a fault is of. */
const applies = (method: string, fault: Fault): boolean =>
  fault === "another value"
    ? method === "state_queryStorageAt"
    : fault === "another block" || fault === "behind"
      ? method !== "state_queryStorageAt"
      : method === "state_getReadProof"

export interface NodeOptions {
  readonly chain: Chain
  readonly faults?: ReadonlyArray<Fault>
}

/** Nodes by their address as an `Upstream`, with the methods that each request asked for. */
export const nodes = (
  byUrl: Readonly<Record<string, NodeOptions>>,
  settings: Readonly<Record<string, string>> = {},
  at = Date.parse("2026-09-05T11:00:00Z")
) => {
  const requests: Array<string> = []
  const exchange = (request: Request) =>
    Effect.suspend(() => {
      const node = byUrl[request.url]
      const body = request.body ?? ""
      const calls: RpcCall | ReadonlyArray<RpcCall> = JSON.parse(body)
      const methods = ("method" in calls ? [calls] : calls).map(({ method }) => method)
      requests.push(`${new URL(request.url).host} ${methods.join("+")}`)
      if (node === undefined)
        return Effect.fail(new UpstreamUnreachable({ request: request.url, detail: "no such node" }))
      const text = answerOf(node.chain, body, node.faults)
      if (text === undefined) return Effect.never
      const bytes = new TextEncoder().encode(text)
      return Effect.succeed({
        request,
        at,
        status: 200,
        headers: {},
        sha256: createHash("sha256").update(bytes).digest("hex"),
        body: bytes
      })
    })
  return {
    requests,
    layer: Layer.succeed(Upstream, Upstream.of({ now: at, targets: [], settings, exchange }))
  }
}
