/** What a wallet that paid without an account is owed by a warranty, and how it claims that: with a real wallet's signature. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { Warranty } from "../../core/credits/warranty/Warranty.ts"
import * as Evm from "../../runtime/outside/evm.ts"
import { Chain, usdc } from "../support/base.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"
import { owedTo } from "../support/warranty.ts"

const service = Layer.unwrap(
  Effect.map(Chain, ({ rpcUrl }) =>
    Service.layer({
      chain: Evm.make({ rpcUrl, chainId: 8453, token: usdc, depositAddress: `0x${"d".repeat(40)}` })
    })
  )
).pipe(Layer.provideMerge(Chain.layer))

const because = "Revision 1 of x402_h1"
const proof = `/v1/log/documents/${"a".repeat(64)}`

layerNeeding("counterparties")(service, { excludeTestServices: true })("GET /v1/warranty/{wallet}", (it) => {
  it.effect("says what is owed, which the wallet's signature claims for an account", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const post = (path: string, body: object, key?: string) =>
        Effect.map(
          call({
            method: "POST",
            path,
            headers: {
              "content-type": "application/json",
              ...(key === undefined ? {} : { "x-api-key": key })
            },
            body: JSON.stringify(body)
          }),
          json
        )
      const wallet = privateKeyToAccount(generatePrivateKey())
      const path = `/v1/warranty/${wallet.address.toLowerCase()}`
      yield* owedTo("x402_h1", wallet.address, 250_000n, { at: new Date("2026-09-01T00:00:00Z") })

      const owed = yield* call(path)
      assert.strictEqual(owed.status, 200)
      const { claim, ...rest } = json(owed)
      const at = "2026-09-01T00:00:00.000Z"
      assert.deepStrictEqual<unknown>(rest, {
        wallet: wallet.address,
        owed_usd: 0.25,
        paid_usd: 0,
        payments: [{ purchase_id: "x402_h1", amount_usd: 0.25, state: "due", because, proof, at }]
      })
      assert.include(claim, "POST /v1/credits/crypto/challenge")

      const key = String((yield* post("/v1/credits/register", {}))["api_key"])
      const challenge = yield* post("/v1/credits/crypto/challenge", { wallet: wallet.address }, key)
      const thief = privateKeyToAccount(generatePrivateKey())
      const message = String(challenge["message"])
      const { run } = yield* Warranty
      for (const signer of [thief, wallet]) {
        yield* run
        assert.deepInclude(json(yield* call(path)), { owed_usd: 0.25, paid_usd: 0 })
        const signature = yield* Effect.promise(() => signer.signMessage({ message }))
        yield* post("/v1/credits/crypto/verify", { nonce: challenge["nonce"], signature }, key)
      }
      yield* run
      yield* run
      const { payments, ...sums } = json(yield* call(path))
      assert.deepInclude(sums, { owed_usd: 0, paid_usd: 0.25 })
      const [payment] = payments as ReadonlyArray<object>
      assert.deepInclude(payment, { state: "paid", because, proof })
      assert.notProperty(payment, "transaction")
    })
  )

  it.effect("says nothing of other wallets, and names what is no wallet", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const nobody = json(yield* call(`/v1/warranty/0x${"1".repeat(40)}`))
      assert.deepInclude(nobody, { owed_usd: 0, paid_usd: 0, payments: [] })
      const wrong = yield* call("/v1/warranty/0x12")
      assert.strictEqual(wrong.status, 400)
      assert.deepInclude(json(wrong), { field: "wallet" })
    })
  )
})
