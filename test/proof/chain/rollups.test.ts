/** What is said of blocks that a sequencer makes, and of headers that do not have their hash. */
import { assert, describe, it } from "vitest"
import { stateOf } from "../../../core/plugin/shapes/provedViews.ts"
import { checkCanonical } from "../../../core/proof/chain/canonicalBlock.ts"
import { witness } from "../../../core/proof/chain/evmRead.ts"
import { chainOf } from "../../../runtime/tape/evmChain.ts"

const hash = "ab".repeat(32)
const looks = { looks: ["a", "b"].map((operator) => ({ operator, hash })), least: 2 }
const saidOf = (chain: string) => checkCanonical({ chain, block: { number: 7, hash, header: "" } }, looks)

describe("a block of a rollup", () => {
  it.each(["eip155:8453", "eip155:10", "eip155:42161"])("is said to be the sequencer's: %s", (chain) => {
    const { detail, ok } = saidOf(chain)
    assert.isTrue(ok)
    assert.match(
      detail,
      /say: a, b; it is the sequencer's block, and whether it is on Ethereum is not checked$/
    )
  })

  it.each(["eip155:1", "eip155:100", "eip155:137", "polkadot:91b171bb158e2d3848fa23a9f1c25182"])(
    "is none of a chain with a consensus of its own: %s",
    (chain) => {
      assert.match(saidOf(chain).detail, /say: a, b$/)
    }
  )
})

describe("a block whose members do not have its hash", () => {
  const { block } = chainOf(new Map(), { id: 1, number: 7, seconds: 1_790_000_000 })
  const forged = { ...block, hash: `0x${hash}` } as unknown as Parameters<typeof stateOf>[1]
  const why = (chain: string) => stateOf(chain, forged, witness())

  it("proves nothing on Arbitrum, whose rule nobody knows here, and says so", () => {
    assert.strictEqual(
      why("eip155:42161"),
      "headers of Arbitrum do not have their hash by any rule that is known here, so nothing is proved by them"
    )
    assert.strictEqual(why("eip155:1"), "the members of the block do not have its hash")
  })
})
