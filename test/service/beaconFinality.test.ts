/** Who signed a block of Ethereum, by a node and the beacon API of one operator, over HTTP: a committee that really signs. */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Malformed, toHex } from "../../core/proof/bytes.ts"
import { encodeHeader } from "../../core/proof/chain/evmHeader.ts"
import { committeeRoot } from "../../core/proof/finality/attested.ts"
import { type ChainFinality, finalityTag } from "../../core/proof/finality/document.ts"
import type { SyncEvidence } from "../../core/proof/finality/syncCommittee.ts"
import { demandSigned, verifyFinality } from "../../core/proof/finality/verifyFinality.ts"
import { ChainNodes, type SignedBlock } from "../../core/publications/looks/ChainNodes.ts"
import { layer } from "../../runtime/outside/chainNodes.ts"
import { committeeOf } from "../support/chain/beacon.ts"
import { blockOver, chainAfter, hashOf, startOperator } from "../support/chain/beaconOperator.ts"
import { until } from "../support/until.ts"

/** Asks an operator. */
const operator = Effect.fnUntraced(function* (...of: Parameters<typeof startOperator>) {
  const { api, requests, url } = yield* startOperator(...of)
  const node = { chain: "eip155:1", operator: "a", url, beacon: url }
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
      const chain = chainAfter()
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
          "light_client/updates?start_period=1607&count=1",
          "eth_getBlockByNumber",
          "eth_getBlockByNumber",
          "eth_getProof"
        ]
      )
    })
  )

  it.effect("is asked for the final block itself, by the next epoch's block where a slot has none", () =>
    Effect.gen(function* () {
      const { api, ask, requests } = yield* operator(chainAfter(), { missing: ["13164544"] })
      const document = documentOf(Option.getOrThrow(yield* ask(1_000_064)))
      assert.strictEqual(verifyFinality(document, [document], [api.trusted]).check.ok, true)
      assert.include(requests, "/eth/v1/beacon/headers/13164576")
      assert.notInclude(requests, "eth_getProof")
    })
  )

  it.effect("proves nothing of a block that is not final yet, or that the final one does not keep", () =>
    Effect.gen(function* () {
      const { ask } = yield* operator(chainAfter())
      assert.match(
        (yield* Effect.flip(ask(1_000_065))).why,
        /^block 1000065 is not final: the newest that is has number 1000064$/
      )
      const { ask: other } = yield* operator(chainAfter(undefined, "11".repeat(32)))
      assert.match(
        (yield* Effect.flip(other(1_000_000))).why,
        /block 1000064 does not keep the hash of block 1000000$/
      )
    })
  )

  it.effect("is not believed where it signed another final block than the node has", () =>
    Effect.gen(function* () {
      const chain = chainAfter()
      const another = blockOver(1_000_064, new Uint8Array(32).fill(9))
      const { ask } = yield* operator(chain, { finalBlock: another })
      for (const number of [1_000_000, 1_000_064]) {
        const document = documentOf(Option.getOrThrow(yield* ask(number)))
        assert.throws(() => demandSigned(document), Malformed)
      }
    })
  )

  it.effect("says who is in the next one, where the node has that of this period", () =>
    Effect.gen(function* () {
      const { ask } = yield* operator(chainAfter(), { signing: { next: { committee: 1 } } })
      const { evidence } = documentOf(Option.getOrThrow(yield* ask(1_000_000)))
      assert.strictEqual((evidence as SyncEvidence).next?.committee, toHex(committeeRoot(committeeOf(1))))
      demandSigned(documentOf(Option.getOrThrow(yield* ask(1_000_000))))
      const start = 1607 * 8192
      const { ask: early } = yield* operator(chainAfter(), {
        signing: { next: { committee: 1, slots: [start + 40, start - 32, start + 41] } }
      })
      const document = documentOf(Option.getOrThrow(yield* early(1_000_000)))
      assert.notProperty(document.evidence, "next")
      demandSigned(document)
    })
  )

  it.effect("of an operator who gives half an answer, or none in time, has a reason and no document", () =>
    Effect.gen(function* () {
      const { ask } = yield* operator(chainAfter(), { fault: "cut" })
      assert.match((yield* Effect.flip(ask(1_000_000))).why, /finality_update answered something else$/)
      const { ask: late, requests } = yield* operator(chainAfter(), { fault: "late" })
      const fiber = yield* Effect.forkChild(Effect.flip(late(1_000_000)))
      yield* TestClock.withLive(until(() => requests.length === 2))
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).why, "no answer in time")
    })
  )

  it.effect("is nobody's where the operator names no beacon API, or serves another chain", () =>
    Effect.gen(function* () {
      const { ask, node } = yield* operator(chainAfter())
      const { beacon: _, ...bare } = node
      assert.isTrue(Option.isNone(yield* ask(1_000_000, bare as typeof node)))
      assert.strictEqual(
        (yield* Effect.flip(ask(1_000_000, { ...node, chain: "eip155:8453" }))).why,
        "it is a node of another chain"
      )
    })
  )
})
