/** The public client of MPP buys on the same 402, by its charge method for EVM chains. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { PrivateKeyAccount } from "viem/accounts"
import { Chain, usdc } from "../support/base.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { encode, payloadOf, sign } from "../support/payments.ts"
import { Shop } from "../support/shop.ts"
import { header, json, type Reply } from "../support/signed.ts"
import { installed } from "./installed.ts"

const { Challenge, Credential, Receipt } = await installed(() => import("mppx"))
const { evm, Fetch } = await installed(() => import("mppx/client"))

const methodOf = (account: PrivateKeyAccount) =>
  evm.charge({
    account,
    networks: [8453],
    currencies: [usdc],
    authorization: { name: "USD Coin", version: "2" },
    decimals: 6,
    maxAmount: "10"
  })

const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: String })

const path = "/x402/v1/data/depin_provenance"

/** The client's credential for the challenge of a 402. */
const credentialFor = Effect.fnUntraced(function* (account: PrivateKeyAccount, reply: Reply) {
  const challenge = Challenge.deserialize(header(reply, "www-authenticate"))
  return yield* attempt(() =>
    methodOf(account).createCredential({ challenge: challenge as never, context: {} })
  )
})

layerNeeding("counterparties")(Shop.layer.pipe(Layer.provideMerge(Chain.layer)), {
  excludeTestServices: true
})("MPP", (it) => {
  it.effect("is offered beside x402, and its client buys by itself", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { ask, payTo, url } = yield* Shop
      const reply = yield* ask(path)
      assert.notStrictEqual(header(reply, "payment-required"), "")
      assert.deepInclude(Challenge.deserialize(header(reply, "www-authenticate")), {
        method: "evm",
        intent: "charge",
        realm: "plumbline.test"
      })
      const payer = yield* chain.payer(1_000_000n)
      const before = yield* chain.balance(payTo)
      const paying = Fetch.from({ fetch, methods: [methodOf(payer)] })
      const response = yield* attempt(() => paying(url("depin_provenance")))
      const text = yield* Effect.promise(() => response.text())
      assert.strictEqual(response.status, 200, text)
      // It did not fall back to x402.
      assert.isNotNull(response.headers.get("Payment-Receipt"))
      assert.strictEqual((yield* chain.balance(payTo)) - before, 490_000n)
      assert.strictEqual(yield* chain.balance(payer.address), 510_000n)
    })
  )

  it.effect("is paid by its client as the body prints it", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { ask, url } = yield* Shop
      const body = json(yield* ask(path)) as {
        readonly how_to_pay: { readonly mpp: { readonly steps: ReadonlyArray<string> } }
      }
      const printed = /evm\.charge\(\{ account, authorization: (\{.*?\}) \}\)/.exec(
        body.how_to_pay.mpp.steps.join("\n")
      )?.[1]
      const authorization = JSON.parse((printed ?? "").replace(/(\w+):/g, '"$1":')) as {
        name: string
        version: string
      }
      const payer = yield* chain.payer(1_000_000n)
      const paying = Fetch.from({ fetch, methods: [evm.charge({ account: payer, authorization })] })
      const response = yield* attempt(() => paying(url("depin_provenance")))
      assert.strictEqual(response.status, 200, yield* Effect.promise(() => response.text()))
      assert.isNotNull(response.headers.get("Payment-Receipt"))
      assert.strictEqual(yield* chain.balance(payer.address), 510_000n)
    })
  )

  it.effect("sells once for a credential, with a receipt that its package reads", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { ask } = yield* Shop
      const payer = yield* chain.payer(5_000_000n)
      const authorization = yield* credentialFor(payer, yield* ask(path))
      const buy = ask({ path, headers: { authorization } })
      const replies = yield* Effect.all([buy, buy, buy], { concurrency: "unbounded" })
      for (const reply of replies) assert.strictEqual(reply.status, 200, reply.body.toString("utf8"))
      assert.strictEqual(new Set(replies.map(({ body }) => body.toString("utf8"))).size, 1)
      assert.strictEqual(yield* chain.balance(payer.address), 4_510_000n)
      const [first] = replies
      const receipt = Receipt.deserialize(header(first, "payment-receipt"))
      const { transaction } = json(first)["payment"] as { transaction: string }
      assert.deepInclude(receipt, { method: "evm", status: "success", reference: transaction })
    })
  )

  it.effect("refuses what is not for this product, not ours, or changed", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { ask } = yield* Shop
      const payer = yield* chain.payer(20_000_000n)
      const path = "/x402/v1/data/node_quality_score"
      const authorization = yield* credentialFor(payer, yield* ask(path))
      // The same price, but another product.
      const elsewhere = yield* ask({ path: "/x402/v1/data/dilution_risk_map", headers: { authorization } })
      assert.deepInclude(json(elsewhere), { status: 402, reason: "invalid_challenge" })
      assert.notStrictEqual(header(elsewhere, "www-authenticate"), "")
      const credential = Credential.deserialize(authorization)
      const forged = [
        { ...credential, challenge: { ...credential.challenge, expires: "2099-01-01T00:00:00.000Z" } },
        { ...credential, challenge: { ...credential.challenge, id: "A".repeat(43) } },
        { ...credential, payload: { ...(credential.payload as object), nonce: `0x${"12".repeat(32)}` } }
      ]
      for (const one of forged) {
        const reply = yield* ask({
          path,
          headers: { authorization: Credential.serialize(one as typeof credential) }
        })
        assert.deepInclude(json(reply), { status: 402, reason: "invalid_challenge" })
      }
      const unread = yield* ask({ path, headers: { authorization: "Payment e30" } })
      assert.deepInclude(json(unread), { status: 400, field: "Authorization" })
      assert.strictEqual(yield* chain.balance(payer.address), 20_000_000n)
    })
  )

  it.effect(
    "and x402 in one request charge nothing; one after the other sell twice only if signed twice",
    () =>
      Effect.gen(function* () {
        const chain = yield* Chain
        const { ask, offer } = yield* Shop
        const payer = yield* chain.payer(5_000_000n)
        const terms = yield* offer("depin_provenance")
        const authorization = yield* credentialFor(payer, yield* ask(path))
        const signed = yield* Effect.promise(() => sign(payer, terms))
        const both = yield* ask({
          path,
          headers: { authorization, "payment-signature": encode(payloadOf(signed, terms)) }
        })
        assert.strictEqual(both.status, 400)
        assert.strictEqual(yield* chain.balance(payer.address), 5_000_000n)

        assert.strictEqual((yield* ask({ path, headers: { authorization } })).status, 200)
        // The same authorization, now as x402: the same sale again.
        const { payload } = Credential.deserialize(authorization) as {
          payload: Record<string, string> & { signature: string }
        }
        const { signature, type: _, ...members } = payload
        const again = yield* ask({
          path,
          headers: {
            "payment-signature": encode({
              x402Version: 2,
              accepted: terms,
              payload: { signature, authorization: members }
            })
          }
        })
        assert.strictEqual(again.status, 200)
        assert.strictEqual(yield* chain.balance(payer.address), 4_510_000n)
      })
  )
})
