/** A recorded call of main net on its whole way: through the collector, into the document of its proof, and to `verify chain`. */
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { Effect } from "effect"
import { readOnce } from "../../core/plugin/shapes/evm.ts"
import { type Request, Upstream } from "../../core/plugin/Upstream.ts"
import { fromHex, toHex } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { proofOfCalls } from "../../core/proof/chain/proofOfCalls.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import { recordedChain } from "../support/chain/contracts.ts"

const { block, codes, proofs, request, result } = recordedChain("mainnet-call")
const view = request[0]
const url = "https://node.example"
const at = Number(block.timestamp) * 1000

const codeWith = (hash: string): string =>
  codes.find((code: string) => `0x${toHex(keccak_256(fromHex(code.slice(2))))}` === hash) ?? "0x"

interface RpcCall {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<string>
}

/** What the node answered, as it is recorded. */
const recordedResult = ({ method, params }: RpcCall): unknown => {
  const of = proofs.find(({ address }: { address: string }) => address.toLowerCase() === params[0])
  if (method === "eth_getBlockByNumber") return block
  if (method === "eth_chainId") return "0x1"
  if (method === "eth_call") return result
  if (method === "eth_createAccessList") return { accessList: [], gasUsed: "0x5208" }
  if (method === "eth_getProof") return of
  return codeWith(of?.codeHash)
}

/** Passes on what a node says, and notes it. */
const node = (change: (result: unknown, call: RpcCall) => unknown = (result) => result) => {
  const results: Array<readonly [method: string, result: unknown]> = []
  const exchange = (target: Request) =>
    Effect.sync(() => {
      const requests: RpcCall | ReadonlyArray<RpcCall> = JSON.parse(target.body ?? "")
      const reply = (call: RpcCall) => {
        const gives = change(recordedResult(call), call)
        results.push([call.method, gives])
        return { jsonrpc: "2.0", id: call.id, result: gives }
      }
      const body = new TextEncoder().encode(
        JSON.stringify("method" in requests ? reply(requests) : requests.map(reply))
      )
      const sha256 = createHash("sha256").update(body).digest("hex")
      return { request: target, at, status: 200, headers: {}, sha256, body }
    })
  return { results, upstream: Upstream.of({ now: at, targets: [], settings: {}, exchange }) }
}

describe("a recorded call", () => {
  it.effect("is proved, and its document holds", () =>
    Effect.gen(function* () {
      const { results, upstream } = node()
      const read = yield* Effect.provideService(readOnce([url], { views: [view] }), Upstream, upstream)
      assert.deepStrictEqual(read.answer.body, [result])
      assert.isUndefined(read.answer.unproved)
      const of = (method: string) => results.flatMap(([name, gives]) => (name === method ? [gives] : []))
      const proof = proofOfCalls(
        {
          chain: "eip155:1",
          block,
          nodes: of("eth_getProof").flatMap((one) => Object(one).accountProof),
          codes: of("eth_getCode").map(String)
        },
        [view],
        false
      )
      assert.strictEqual(proof.block.number, 17_463_226)
      const folder = mkdtempSync(join(tmpdir(), "recorded-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const file = join(folder, "proof.json")
      writeFileSync(file, canonical(proof))
      const lines: Array<string> = []
      const looks = ["one.example", "other.example"].flatMap((operator) => [
        "--block",
        `${operator}=0x${proof.block.hash}`
      ])
      const exit = yield* Effect.promise(() =>
        main(["verify", "chain", file, ...looks], {
          print: (line) => void lines.push(line),
          env: {},
          get: () => Promise.reject(new Error("nothing is requested"))
        })
      )
      assert.strictEqual(exit, 0, lines.join("\n"))
      assert.include(lines.at(-1) ?? "", "state proved, block as the operators say")
    })
  )

  it.effect("is refused where the node says another number than its state", () =>
    Effect.gen(function* () {
      const { upstream } = node((gives, { method }) =>
        method === "eth_call" ? `0x${"8".padStart(64, "0")}` : gives
      )
      const error = yield* Effect.flip(
        Effect.provideService(readOnce([url], { views: [view] }), Upstream, upstream)
      )
      assert.include(error.message, `gives ${result}, as its proof shows`)
    })
  )
})
