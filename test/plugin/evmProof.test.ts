/** Views of contracts with the chain's own proof, through nodes that answer well and badly. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { contract, type Read, reads } from "../../core/plugin/shapes/evm.ts"
import { Upstream, type UpstreamError } from "../../core/plugin/Upstream.ts"
import { concat } from "../../core/proof/bytes.ts"
import { bounds } from "../../core/proof/chain/bounds.ts"
import { bytesOfWord } from "../../core/proof/chain/evmMachine.ts"
import type { View } from "../../core/proof/chain/evmRead.ts"
import { chainOf } from "../../runtime/tape/evmChain.ts"
import { withoutProofs } from "../../runtime/upstream/withoutProofs.ts"
import { balance, supply, token, tokenAlone, tokenChain, tokenViews } from "../support/chain/contracts.ts"
import { type EvmFault, evmNodesOf } from "../support/chain/evmNode.ts"

const [one, other] = ["https://one.example", "https://other.example"]
const chain = tokenChain()
const words = [18n, supply, balance, 0n]
const batch = { views: tokenViews }

/** Reads batches through nodes with these faults. */
const read = (
  faults: ReadonlyArray<ReadonlyArray<EvmFault>>,
  batches: ReadonlyArray<{ readonly views: ReadonlyArray<View> }> = [batch]
) => {
  const urls = [one, other].slice(0, faults.length)
  const { layer, requests } = evmNodesOf(
    Object.fromEntries(urls.map((url, index) => [url, { chain, faults: faults[index] ?? [] }]))
  )
  return Effect.gen(function* () {
    const outcomes = (yield* reads(urls, batches)).map(({ outcome }) => outcome)
    const [first] = outcomes
    return { requests, outcomes, first: first ?? assert.fail("no outcome") }
  }).pipe(Effect.provide(layer))
}

const numbersOf = (outcome: Result.Result<Read, UpstreamError>): ReadonlyArray<bigint> =>
  Result.isSuccess(outcome) ? outcome.success.answer.body.map(BigInt) : assert.fail(outcome.failure.message)

const unprovedOf = (outcome: Result.Result<Read, UpstreamError>) =>
  Result.isSuccess(outcome) ? outcome.success.answer.unproved : assert.fail(outcome.failure.message)

const pinned = "getBlockByNumber x1 + chainId x1 + createAccessList x4"
const proved = "call x4 + getProof x2"
const codes = "getCode x2"

describe("views with the chain's proof", () => {
  it.effect("are read at one block, with one request more than without, and one for their codes", () =>
    Effect.gen(function* () {
      const { first, requests } = yield* read([[], []])
      assert.deepStrictEqual(numbersOf(first), words)
      assert.isUndefined(unprovedOf(first))
      assert.deepStrictEqual(requests, [
        `one.example ${pinned}`,
        `one.example ${proved}`,
        `one.example ${codes}`
      ])
    })
  )

  it.effect("of many batches have one request more for all, and one for their codes", () =>
    Effect.gen(function* () {
      const { outcomes, requests } = yield* read([[]], [batch, { views: tokenViews.slice(0, 1) }, batch])
      assert.deepStrictEqual(outcomes.map(numbersOf), [words, [18n], words])
      assert.deepStrictEqual(outcomes.map(unprovedOf), [undefined, undefined, undefined])
      assert.strictEqual(requests.length, 5)
      assert.isTrue(requests.slice(1, 4).every((text) => text.includes("getProof")))
      assert.strictEqual(requests[4], `one.example ${codes}`)
    })
  )

  it.effect(
    "of more contracts than a proof may have codes are proved, since each is a proof of its own",
    () =>
      Effect.gen(function* () {
        const numbers = Array.from({ length: bounds.codes + 4 }, (_, at) => at + 1)
        const addressOf = (number: number) => number.toString(16).padStart(40, "7")
        // A code that is never reached behind another one makes it a code of its own.
        const codeOf = (number: number) => concat(tokenAlone.code, bytesOfWord(BigInt(number)))
        const many = chainOf(
          new Map(numbers.map((number) => [addressOf(number), { ...tokenAlone, code: codeOf(number) }])),
          { id: 1, number: 23_456_789, seconds: 1_788_606_000 }
        )
        const { layer } = evmNodesOf({ [one]: { chain: many } })
        const outcomes = yield* Effect.provide(
          reads(
            [one],
            numbers.map((number) => ({
              views: tokenViews.slice(0, 1).map(({ data }) => ({ to: `0x${addressOf(number)}`, data }))
            }))
          ),
          layer
        )
        assert.deepStrictEqual([...new Set(outcomes.map(({ outcome }) => unprovedOf(outcome)))], [undefined])
      })
  )

  it.effect("that do together what one proof may not do stay as they are read, and say so", () =>
    Effect.gen(function* () {
      const views = Array.from({ length: 1000 }, () => tokenViews).flat()
      const { first } = yield* read([[]], [{ views }])
      assert.match(unprovedOf(first) ?? "", /code that is executed must take at most 200000 steps$/)
    })
  )

  it.effect("are asked of a node that says nothing beforehand a few hundred slots at a time", () =>
    Effect.gen(function* () {
      const addresses = Array.from({ length: 60 }, (_, at) => (at + 1).toString(16).padStart(40, "7"))
      const owners = Array.from({ length: 20 }, (_, at) => (at + 1).toString(16).padStart(40, "5"))
      const many = chainOf(new Map(addresses.map((address) => [address, tokenAlone])), {
        id: 1,
        number: 23_456_789,
        seconds: 1_788_606_000
      })
      const [, , { data } = { data: "" }] = tokenViews
      const { layer, requests } = evmNodesOf({ [one]: { chain: many, faults: ["no access lists"] } })
      const batches = addresses.map((address) => ({
        views: owners.map((owner) => ({ to: `0x${address}`, data: data.slice(0, 34) + owner }))
      }))
      const outcomes = yield* Effect.provide(reads([one], batches), layer)
      assert.deepStrictEqual([...new Set(outcomes.map(({ outcome }) => unprovedOf(outcome)))], [undefined])
      // After the block, the batches and the codes: 1,200 slots of 60 accounts.
      assert.deepStrictEqual(requests.slice(63), [
        "one.example getProof x25",
        "one.example getProof x25",
        "one.example getProof x10"
      ])
    })
  )

  it.effect("name the block and the call that a reader can repeat", () =>
    Effect.gen(function* () {
      const { first } = yield* read([[]])
      const { answer, as_of } = yield* Effect.fromResult(first)
      assert.strictEqual(as_of, 1_788_606_000_000)
      assert.include(decodeURI(answer.read_url), `{"blockHash":"${chain.block.hash}"}`)
      assert.include(answer.read_url, "0x18160ddd")
    })
  )

  it.effect("of a declared contract name for each member the call that gives it alone", () =>
    Effect.gen(function* () {
      const { layer } = evmNodesOf({ [one]: { chain } })
      const { addresses, body } = yield* Effect.provide(
        contract([one], `0x${token}`, { decimals: "0x313ce567", totalSupply: "0x18160ddd" }),
        layer
      )
      assert.deepStrictEqual<object>(body, {
        decimals: "18",
        totalSupply: String(supply),
        timestamp: 1_788_606_000
      })
      assert.include(addresses["decimals"], "0x313ce567")
      assert.notInclude(addresses["decimals"], "0x18160ddd")
      assert.include(addresses["totalSupply"], "0x18160ddd")
    })
  )

  it.effect.each(["no access lists", "empty access lists"] as const)(
    "need few requests where a node has %s: what code reads is found by executing it",
    (fault) =>
      Effect.gen(function* () {
        const { first, requests } = yield* read([[fault]], [batch, batch])
        assert.deepStrictEqual(numbersOf(first), words)
        assert.isUndefined(unprovedOf(first))
        assert.isAtMost(requests.length, 7)
      })
  )

  it.effect("have the proof of the next node where the first gives none, of the same block", () =>
    Effect.gen(function* () {
      const { outcomes, requests } = yield* read([["no proofs"], []], [batch, batch])
      assert.deepStrictEqual(outcomes.map(unprovedOf), [undefined, undefined])
      assert.deepStrictEqual(requests, [
        `one.example ${pinned}`,
        `one.example ${proved} + createAccessList x4`,
        "one.example call x4",
        "other.example getProof x2",
        `other.example ${codes}`
      ])
    })
  )

  it.effect.each([
    ["no proofs", "serves no proof: JSON-RPC error -32601: the method eth_getProof does not exist"],
    ["no batches", "serves no proof: JSON-RPC error -32005: eth_getProof in batch triggered rate limit"],
    ["too large", "serves no proof: too large"],
    ["cut", "gave a proof that lacks"],
    ["damaged", "gave a proof that lacks"],
    ["other contract", "gave a proof that lacks"],
    ["other code", "gave a proof that lacks"]
  ] as const)("stay as they are read where a node has %s, and say why", ([fault, says]) =>
    Effect.gen(function* () {
      const { first } = yield* read([[fault]])
      assert.deepStrictEqual(numbersOf(first), words)
      assert.include(unprovedOf(first), `one.example ${says}`)
    })
  )

  it.effect("stay as they are read where the members of a block do not have its hash", () =>
    Effect.gen(function* () {
      const { first, requests } = yield* read([["another block"]])
      assert.deepStrictEqual(numbersOf(first), words)
      assert.strictEqual(unprovedOf(first), "the members of the block do not have its hash")
      assert.strictEqual(requests.length, 2)
    })
  )

  it.effect("wait fifteen seconds for a node that gives no proof, and not longer", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(read([["late"]]))
      yield* TestClock.adjust("15 seconds")
      const { first, requests } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(numbersOf(first), words)
      assert.strictEqual(unprovedOf(first), "one.example gave no proof within 15 seconds")
      assert.deepStrictEqual(requests.slice(1), ["one.example getBlockByNumber x1", "one.example call x4"])
    })
  )

  it.effect("are refused where a node says something else than the state of its block", () =>
    Effect.gen(function* () {
      const { outcomes } = yield* read([["another value"]], [batch, batch])
      for (const outcome of outcomes) {
        const error = yield* Effect.flip(Effect.fromResult(outcome))
        assert.strictEqual(error._tag, "UpstreamChanged")
        assert.match(
          error.message,
          /the node says 0x0{63}9, and the state of block 0x[0-9a-f]{64} gives 0x0{62}12, as its proof shows/
        )
      }
    })
  )

  it.effect("are refused also where another node proves that", () =>
    Effect.gen(function* () {
      const { first } = yield* read([["another value", "no proofs"], []])
      assert.isTrue(Result.isFailure(first))
    })
  )

  it.effect("are asked again of a node that is a block behind, and fail where it stays there", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(read([["behind"]]))
      yield* TestClock.adjust("4 seconds")
      const { first, requests } = yield* Fiber.join(fiber)
      const error = yield* Effect.flip(Effect.fromResult(first))
      assert.include(error.message, "header not found")
      assert.isAbove(requests.length, 3)
    })
  )

  it.effect("are asked for without proofs for a case that people read and edit", () =>
    Effect.gen(function* () {
      const { layer, requests } = evmNodesOf({ [one]: { chain } })
      const upstream = withoutProofs(yield* Effect.provide(Upstream, layer))
      const [outcome] = yield* Effect.provideService(reads([one], [batch]), Upstream, upstream)
      const first = outcome?.outcome ?? assert.fail("no outcome")
      assert.deepStrictEqual(numbersOf(first), words)
      assert.isUndefined(unprovedOf(first))
      assert.deepStrictEqual(requests, ["one.example getBlockByNumber x1", "one.example call x4"])
    })
  )

  it.effect("of BSC are asked for without proofs, which its nodes refuse in a batch, and say so", () =>
    Effect.gen(function* () {
      const url = "https://bsc-rpc.publicnode.com/"
      const { layer, requests } = evmNodesOf({ [url]: { chain } })
      const [outcome] = yield* Effect.provide(reads([url], [batch]), layer)
      assert.match(
        unprovedOf(outcome?.outcome ?? assert.fail("none")) ?? "",
        /^bsc-rpc\.publicnode\.com is not asked/
      )
      assert.isFalse(requests.some((text) => text.includes("getProof")))
    })
  )
})
