/** Who signed a block of Ethereum, by a node and the beacon API of one operator, over HTTP: a committee that really signs. */

import { assert, describe, it } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { Effect, Layer, Option } from "effect"
import { fromHex, Malformed, toHex } from "../../core/proof/bytes.ts"
import { encodeHeader, type ToldBlock } from "../../core/proof/chain/evmHeader.ts"
import { type ChainFinality, finalityTag } from "../../core/proof/finality/document.ts"
import { demandSigned, verifyFinality } from "../../core/proof/finality/verifyFinality.ts"
import { ChainNodes, type SignedBlock } from "../../core/publications/looks/ChainNodes.ts"
import { layer } from "../../runtime/outside/chainNodes.ts"
import { beaconApi } from "../support/chain/beacon.ts"
import { account, patricia, rlp, unsigned, word } from "../support/chain/evm.ts"
import { startScriptedServer } from "../support/scriptedServer.ts"

const zero = `0x${"00".repeat(32)}`

/** A block over a state, as a node tells it. */
const blockOver = (number: number, stateRoot: Uint8Array): ToldBlock => {
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

const hashOf = (block: ToldBlock): string => String(block["hash"]).slice(2)

const contract = fromHex("0000f90827f1c53a10cb7a02335b175320002935")

/** A chain of two blocks of which the later one is final and keeps the hash of the earlier one, or another. */
const chainWith = (keeps?: string) => {
  const earlier = blockOver(1_000_000, new Uint8Array(32).fill(7))
  const slot = word(BigInt(1_000_000 % 8191))
  const storage = patricia([[slot, rlp(unsigned(BigInt(`0x${keeps ?? hashOf(earlier)}`)))]])
  const state = patricia([[contract, account(storage.root, new Uint8Array(32).fill(1))]])
  const final = blockOver(1_000_064, state.root)
  const hexes = (trie: typeof state) => [...trie.nodes.values()].map((node) => `0x${toHex(node)}`)
  return { earlier, final, proof: { accountProof: hexes(state), storageProof: [{ proof: hexes(storage) }] } }
}

/** The two servers of an operator, and what was asked of them. */
const operator = Effect.fnUntraced(function* (
  { earlier, final, proof }: ReturnType<typeof chainWith>,
  finalBlock: ToldBlock = final,
  missing: ReadonlyArray<string> = []
) {
  const api = beaconApi(Number(finalBlock["number"]), hashOf(finalBlock))
  const requests: Array<string> = []
  const server = yield* startScriptedServer
  server.handle = (request, response, body) => {
    const path = request.url ?? ""
    if (request.method === "GET") {
      requests.push(path)
      const root = "0x".padEnd(66, "ab")
      const data = path.endsWith("finality_update")
        ? api.update
        : path.endsWith(`bootstrap/${root}`)
          ? api.bootstrap
          : path.includes("/headers/") && !missing.some((slot) => path.endsWith(slot))
            ? { root, canonical: true }
            : undefined
      response.writeHead(data === undefined ? 404 : 200, { "content-type": "application/json" })
      response.end(JSON.stringify({ version: "fulu", data }))
      return
    }
    const { id, method, params } = JSON.parse(body)
    requests.push(method)
    const blocks: Readonly<Record<string, unknown>> = { "0xf4240": earlier, "0xf4280": final }
    const result = method === "eth_chainId" ? "0x1" : method === "eth_getProof" ? proof : blocks[params[0]]
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
  }
  const node = { chain: "eip155:1", operator: "a", url: server.url, beacon: server.url }
  const ask = (number: number, of = node) =>
    Effect.flatMap(ChainNodes, (nodes) => nodes.finalityAt(of, number)).pipe(
      Effect.provide(Layer.fresh(layer([of])))
    )
  return { api, ask, node, requests }
})

const documentOf = (signed: SignedBlock): ChainFinality => ({
  v: finalityTag,
  day: "2026-09-05",
  chain: "eip155:1",
  ...signed
})

describe("the sync committee", () => {
  it.effect("is asked for a block before the final one, whose hash that one keeps", () =>
    Effect.gen(function* () {
      const chain = chainWith()
      const { api, ask, requests } = yield* operator(chain)
      const document = documentOf(Option.getOrThrow(yield* ask(1_000_000)))
      assert.strictEqual(document.block.hash, hashOf(chain.earlier))
      assert.strictEqual(document.block.header, toHex(encodeHeader(chain.earlier)))
      const { by, check } = verifyFinality(document, [document], [api.trusted])
      assert.strictEqual(check.ok, true, check.detail)
      assert.strictEqual(by, "the sync committee")
      assert.deepStrictEqual(
        requests.map((one) => one.replace("/eth/v1/beacon/", "").replace(/0x.*/, "")),
        [
          "eth_chainId",
          "light_client/finality_update",
          "headers/13164544",
          "light_client/bootstrap/",
          "eth_getBlockByNumber",
          "eth_getBlockByNumber",
          "eth_getProof"
        ]
      )
    })
  )

  it.effect("is asked for the final block itself, by the next epoch's block where a slot has none", () =>
    Effect.gen(function* () {
      const { api, ask, requests } = yield* operator(chainWith(), undefined, ["13164544"])
      const document = documentOf(Option.getOrThrow(yield* ask(1_000_064)))
      assert.strictEqual(verifyFinality(document, [document], [api.trusted]).check.ok, true)
      assert.include(requests, "/eth/v1/beacon/headers/13164576")
      assert.notInclude(requests, "eth_getProof")
    })
  )

  it.effect("proves nothing of a block that is not final yet, or that the final one does not keep", () =>
    Effect.gen(function* () {
      const { ask } = yield* operator(chainWith())
      assert.match(
        (yield* Effect.flip(ask(1_000_065))).why,
        /^block 1000065 is not final: the newest that is has number 1000064$/
      )
      const { ask: other } = yield* operator(chainWith("11".repeat(32)))
      assert.match(
        (yield* Effect.flip(other(1_000_000))).why,
        /block 1000064 does not keep the hash of block 1000000$/
      )
    })
  )

  it.effect("is not believed where it signed another final block than the node has", () =>
    Effect.gen(function* () {
      const chain = chainWith()
      const another = blockOver(1_000_064, new Uint8Array(32).fill(9))
      const { ask } = yield* operator(chain, another)
      for (const number of [1_000_000, 1_000_064]) {
        const document = documentOf(Option.getOrThrow(yield* ask(number)))
        assert.throws(() => demandSigned(document), Malformed)
      }
    })
  )

  it.effect("is nobody's where the operator names no beacon API, or serves another chain", () =>
    Effect.gen(function* () {
      const { ask, node } = yield* operator(chainWith())
      const { beacon: _, ...bare } = node
      assert.isTrue(Option.isNone(yield* ask(1_000_000, bare as typeof node)))
      assert.strictEqual(
        (yield* Effect.flip(ask(1_000_000, { ...node, chain: "eip155:8453" }))).why,
        "it is a node of another chain"
      )
    })
  )
})
