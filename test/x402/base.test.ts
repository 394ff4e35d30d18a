/** The chain of the tests is what it says it is: otherwise nothing that is proven on it means anything. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Chain, tokenAbi, usdc } from "../support/base.ts"
import { layerNeeding } from "../support/layerNeeding.ts"

layerNeeding("counterparties")(Chain.layer, { excludeTestServices: true })("the chain of the tests", (it) => {
  it.effect("is Base, has a token that moves, and makes blocks final", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      assert.strictEqual(yield* Effect.promise(() => chain.client.getChainId()), 8453)
      const payer = yield* chain.payer(5_000_000n)
      const to = (yield* chain.payer(0n)).address
      const hash = yield* chain.transfer(payer, to, 490_000n)
      assert.strictEqual(yield* chain.balance(to), 490_000n)
      assert.strictEqual(yield* chain.balance(payer.address), 4_510_000n)

      const { blockNumber } = yield* Effect.promise(() => chain.client.getTransactionReceipt({ hash }))
      const finalized = () => Effect.promise(() => chain.client.getBlock({ blockTag: "finalized" }))
      assert.isBelow(Number((yield* finalized()).number), Number(blockNumber))
      yield* chain.mineBlocks(2)
      assert.isAtLeast(Number((yield* finalized()).number), Number(blockNumber))
    })
  )

  it.effect("takes a signed authorization once, from a key and from a contract wallet", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const owner = yield* chain.payer(1_000_000n)
      const wallet = yield* chain.wallet(owner.address)
      yield* chain.mint(wallet, 1_000_000n)
      const to = (yield* chain.payer(0n)).address
      for (const from of [owner.address, wallet]) {
        const message = {
          from,
          to,
          value: 250_000n,
          validAfter: 0n,
          validBefore: 2n ** 40n,
          nonce: `0x${"07".repeat(32)}`
        } as const
        const signature = yield* Effect.promise(() =>
          owner.signTypedData({
            domain: { name: "USD Coin", version: "2", chainId: 8453, verifyingContract: usdc },
            types: {
              TransferWithAuthorization: [
                { name: "from", type: "address" },
                { name: "to", type: "address" },
                { name: "value", type: "uint256" },
                { name: "validAfter", type: "uint256" },
                { name: "validBefore", type: "uint256" },
                { name: "nonce", type: "bytes32" }
              ]
            },
            primaryType: "TransferWithAuthorization",
            message
          })
        )
        const submit = () =>
          chain.client.writeContract({
            address: usdc,
            abi: tokenAbi,
            functionName: "transferWithAuthorization",
            args: [
              message.from,
              message.to,
              message.value,
              message.validAfter,
              message.validBefore,
              message.nonce,
              signature
            ]
          })
        yield* Effect.promise(submit)
        const again = yield* Effect.flip(Effect.tryPromise({ try: submit, catch: String }))
        assert.include(again, "authorization is used or canceled")
      }
      assert.strictEqual(yield* chain.balance(to), 500_000n)
    })
  )
})
