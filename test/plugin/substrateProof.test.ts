import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { firstOf } from "../../core/plugin/shapes/gateways.ts"
import { lastRuntimeUpgrade } from "../../core/plugin/shapes/provedStorage.ts"
import * as Substrate from "../../core/plugin/shapes/substrate.ts"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { toHex } from "../../core/proof/bytes.ts"
import bittensor from "../../plugins/bittensor/index.ts"
import { withoutProofs } from "../../runtime/upstream/withoutProofs.ts"
import { bittensorEntries } from "../support/chain/bittensor.ts"
import { type Entry, little } from "../support/chain/substrate.ts"
import { chainOf, type Fault, nodes } from "../support/chain/substrateNode.ts"

const [one, other] = ["https://one.example", "https://other.example"]
const entry = (key: string, value: Uint8Array): Entry => [
  Uint8Array.from(Buffer.from(key.slice(2), "hex")),
  value
]
const keyOf = (index: number) => `0xaa${toHex(little(index * 7919, 4))}`
const count = 3000
const runtime = entry(lastRuntimeUpgrade, Uint8Array.of(4, 16, 100, 101, 109, 111))
const entries = [
  runtime,
  ...Array.from({ length: count }, (_, index) => entry(keyOf(index), little(index, index % 3 === 0 ? 40 : 2)))
]
const chain = chainOf(entries)
const absent = "0xaa00"
const keys = [keyOf(0), ...Array.from({ length: count - 1 }, (_, index) => keyOf(index + 1)), absent] as const

/** Reads through nodes with these faults: what storage says of a few keys, and what was asked. */
const read = (faults: ReadonlyArray<ReadonlyArray<Fault>>, from = chain, items: typeof keys = keys) => {
  const urls = [one, other].slice(0, faults.length)
  const { layer, requests } = nodes(
    Object.fromEntries(urls.map((url, index) => [url, { chain: from, faults: faults[index] ?? [] }]))
  )
  return Effect.gen(function* () {
    const storage = yield* firstOf(urls, (url) => Substrate.storageAt(url, items, from.hash))
    return {
      requests,
      unproved: storage.answer.unproved,
      value: yield* storage.read(keyOf(1), "One", Substrate.u16),
      isEmpty: storage.isEmpty(absent)
    }
  }).pipe(Effect.provide(layer))
}

const proof = "chain_getBlockHash+chain_getHeader+state_getReadProof"
const few = [keyOf(1), keyOf(2), absent] as unknown as typeof keys

describe("storage with the chain's proof", () => {
  it.effect.each([0, 1] as const)("is read out of it in one request, with state version %s", (version) =>
    Effect.gen(function* () {
      const outcome = yield* read([[], []], chainOf(entries, version))
      assert.deepStrictEqual(outcome, {
        requests: [`one.example ${proof}`],
        unproved: undefined,
        value: 1n,
        isEmpty: true
      })
    })
  )

  it.effect("is asked of the next node where the first has none, of the same block", () =>
    Effect.gen(function* () {
      const outcome = yield* read([["no proofs"], []])
      assert.deepStrictEqual(outcome, {
        requests: [`one.example ${proof}`, `other.example ${proof}`],
        unproved: undefined,
        value: 1n,
        isEmpty: true
      })
    })
  )

  it.effect("is asked in single calls where a node refuses batches", () =>
    Effect.gen(function* () {
      const { requests, unproved, value } = yield* read([["no batches"]])
      assert.isUndefined(unproved)
      assert.strictEqual(value, 1n)
      assert.deepStrictEqual(requests, [
        `one.example ${proof}`,
        "one.example state_getReadProof",
        "one.example chain_getHeader",
        "one.example chain_getBlockHash"
      ])
    })
  )

  it.effect.each([
    ["no proofs", "serves no proof: JSON-RPC error -32601: Method not found"],
    ["behind", "serves no proof: JSON-RPC error -32000: UnknownBlock: Header was not found"],
    ["another block", "gave a proof that does not hold: the header does not have the block's hash"],
    ["cut", "gave a proof that lacks"],
    ["damaged", "gave a proof that lacks"],
    ["other keys", "gave a proof that lacks"]
  ] as const)("leaves the value as it is read where a node has %s, and says why", ([fault, says]) =>
    Effect.gen(function* () {
      const { isEmpty, requests, unproved, value } = yield* read([[fault]], chain, few)
      assert.strictEqual(value, 1n)
      assert.isTrue(isEmpty)
      assert.include(unproved, `one.example ${says}`)
      assert.strictEqual(requests.length, 2)
    })
  )

  it.effect("is not asked for a case that people read and edit", () =>
    Effect.gen(function* () {
      const { layer, requests } = nodes({ [one]: { chain } })
      const upstream = withoutProofs(yield* Effect.provide(Upstream, layer))
      const { answer, read } = yield* Effect.provideService(
        Substrate.storageAt(one, few, chain.hash),
        Upstream,
        upstream
      )
      assert.strictEqual(yield* read(keyOf(1), "One", Substrate.u16), 1n)
      assert.isUndefined(answer.unproved)
      assert.deepStrictEqual(requests, ["one.example state_queryStorageAt"])
    })
  )

  it.effect("waits fifteen seconds for each node, and not longer", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(read([["late"], ["late"]], chain, few))
      yield* TestClock.adjust("30 seconds")
      const { unproved, value } = yield* Fiber.join(fiber)
      assert.strictEqual(value, 1n)
      assert.strictEqual(
        unproved,
        "one.example gave no proof within 15 seconds; other.example gave no proof within 15 seconds"
      )
    })
  )

  it.effect("refuses a reading that a part of a proof contradicts", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read([["cut", "another value"]]))
      assert.strictEqual(error._tag, "UpstreamChanged")
      assert.match(
        error.message,
        /the node says 0x09, and the state of block 0x[0-9a-f]{64} has (0x|nothing)/
      )
    })
  )
})

describe("Bittensor", () => {
  const state = chainOf(bittensorEntries(60))
  const [first, second] = bittensor.manifest.hosts.map((host) =>
    host === "bittensor-finney.api.onfinality.io" ? `https://${host}/public` : `https://${host}`
  ) as [string, string]
  const run = (faults: ReadonlyArray<Fault>) => {
    const { layer, requests } = nodes(
      { [first]: { chain: state, faults }, [second]: { chain: state, faults } },
      { rpc_url: first }
    )
    return Effect.map(Effect.provide(bittensor.collect, layer), (rows) => ({ ...rows, requests }))
  }

  it.effect("gives the same rows with a proof as without, and without one says so", () =>
    Effect.gen(function* () {
      const proved = yield* run([])
      const plain = yield* run(["no proofs"])
      assert.isAbove(proved.observations.length, 700)
      assert.deepStrictEqual(proved.observations, plain.observations)
      assert.deepStrictEqual(proved.refused, [])
      assert.strictEqual(proved.requests.length, 3)
      assert.deepStrictEqual(
        plain.refused.map(({ metric, symbol }) => [symbol, metric]),
        [["*", "*"]]
      )
      assert.match(
        plain.refused[0]?.reason ?? "",
        /^unproved: entrypoint-finney\.opentensor\.ai serves no proof/
      )
    })
  )
})
