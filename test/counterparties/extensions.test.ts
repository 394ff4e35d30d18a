/** The extensions of x402, read by the public package of the same version: discovery, signed offers and receipts, sign-in. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import type { PaymentRequired } from "@x402/core/types"
import { Effect, Layer } from "effect"
import type { PrivateKeyAccount } from "viem/accounts"
import { soldPerRequest } from "../../core/products/index.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import { makeDiscovery } from "../../http/payments/discovery.ts"
import { Chain } from "../support/base.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { encode, named, payloadOf, sign } from "../support/payments.ts"
import { baseUrl } from "../support/service.ts"
import { decoded, Shop } from "../support/shop.ts"
import { json, type Reply } from "../support/signed.ts"
import { installed } from "./installed.ts"

const { validateDiscoveryExtension, validateDiscoveryExtensionSpec } = await installed(
  () => import("@x402/extensions/bazaar")
)
const {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  isJWSSignedOffer,
  isJWSSignedReceipt,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS
} = await installed(() => import("@x402/extensions/offer-receipt"))
const { validatePaymentIdentifier } = await installed(() => import("@x402/extensions/payment-identifier"))
const { createSIWxPayload, encodeSIWxHeader } = await installed(
  () => import("@x402/extensions/sign-in-with-x")
)

/** The answer as the public packages take it. */
const responseOf = (reply: Reply) =>
  new Response(reply.body, { status: reply.status, headers: reply.headers as Record<string, string> })

/** The header with the extensions of the body, which are more and have their whole schemas. */
const requiredOf = (reply: Reply) =>
  ({
    ...decoded(reply, "payment-required"),
    extensions: json(reply)["extensions"]
  }) as unknown as PaymentRequired

const jwkOf = Effect.gen(function* () {
  const { ask } = yield* Shop
  const document = json(yield* ask("/.well-known/did.json")) as unknown as {
    readonly id: string
    readonly verificationMethod: ReadonlyArray<{
      readonly id: string
      readonly publicKeyJwk: { kty: string; crv: string; x: string }
    }>
  }
  assert.strictEqual(document.id, "did:web:plumbline.test")
  const [method] = document.verificationMethod
  return method === undefined ? yield* Effect.die("no key") : method
})

const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: String })

const path = "/x402/v1/data/depin_provenance"

const bought = Effect.fnUntraced(function* (payer: PrivateKeyAccount, over: object = {}) {
  const { buy, offer } = yield* Shop
  const terms = yield* offer("depin_provenance")
  const signed = yield* Effect.promise(() => sign(payer, terms))
  return yield* buy("depin_provenance", encode(payloadOf(signed, terms, { ...over })))
})

/** A file with this content. */
const saved = (content: string | Uint8Array): string => {
  const file = join(mkdtempSync(join(tmpdir(), "plumbline-receipt-")), "file")
  writeFileSync(file, content)
  return file
}

const verified = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const lines: Array<string> = []
  const io = {
    print: (line: string) => lines.push(line),
    env: {},
    get: () => Promise.reject(new Error("a verification of files asks nobody"))
  }
  const exit = yield* Effect.promise(() => main(args, io))
  return { exit, text: lines.join("\n") }
})

layerNeeding("counterparties")(Shop.layer.pipe(Layer.provideMerge(Chain.layer)), {
  excludeTestServices: true
})("an offer and its sale", (it) => {
  it.effect("describe every resource for catalogs, with input and output, in the body", () =>
    Effect.gen(function* () {
      const discovery = makeDiscovery(baseUrl)
      for (const product of soldPerRequest) {
        const { bazaar } = discovery(product)
        // The package types the members of each kind of resource; its validators take any.
        const extension = bazaar as unknown as Parameters<typeof validateDiscoveryExtension>[0]
        assert.deepStrictEqual(validateDiscoveryExtension(extension), { valid: true })
        assert.deepStrictEqual(validateDiscoveryExtensionSpec({ ...extension }), { valid: true })
        const { properties: members } = bazaar.schema.properties.output.properties.example as {
          readonly properties: { readonly data: { readonly properties: object } }
        }
        assert.containsAllKeys(members, ["data", "receipt", "payment"])
        assert.isNotEmpty(members.data.properties, product)
      }
      const { ask } = yield* Shop
      const reply = yield* ask(path)
      assert.property(requiredOf(reply).extensions, "bazaar")
    })
  )

  it.effect("are signed: the package checks the offer and the receipt with the key of our DID", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { ask } = yield* Shop
      const { id, publicKeyJwk } = yield* jwkOf
      const required = requiredOf(yield* ask(path))
      const [offer] = extractOffersFromPaymentRequired(required)
      if (offer === undefined || !isJWSSignedOffer(offer)) return yield* Effect.die("no offer")
      const promised = yield* attempt(() => verifyOfferSignatureJWS(offer, publicKeyJwk))
      assert.deepInclude(promised, { resourceUrl: `${baseUrl}${path}`, amount: "490000" })
      const kid = JSON.parse(Buffer.from(offer.signature.split(".")[0] ?? "", "base64url").toString()).kid
      assert.strictEqual(kid, id)
      const [plain] = decodeSignedOffers([offer])
      if (plain === undefined) return yield* Effect.die("no offer")
      assert.deepStrictEqual(findAcceptsObjectFromSignedOffer(plain, required.accepts), required.accepts[0])

      const payer = yield* chain.payer(1_000_000n)
      const reply = yield* bought(payer)
      assert.strictEqual(reply.status, 200, reply.body.toString("utf8"))
      const receipt = extractReceiptFromResponse(responseOf(reply))
      if (receipt === undefined || !isJWSSignedReceipt(receipt)) return yield* Effect.die("no receipt")
      assert.deepStrictEqual<unknown>(json(reply)["receipt"], receipt)
      const claims = yield* attempt(() => verifyReceiptSignatureJWS(receipt, publicKeyJwk))
      const body = json(reply)
      assert.deepInclude(claims as object, {
        payer: payer.address.toLowerCase(),
        payloadSha256: body["payload_sha256"],
        purchaseId: body["purchase_id"],
        checkpoint: body["checkpoint"],
        transaction: (body["payment"] as { transaction: string }).transaction
      })
      assert.isTrue(verifyReceiptMatchesOffer(receipt, plain, [payer.address]))
    })
  )

  it.effect("take the payer's identifier in the form that the package checks", () =>
    Effect.gen(function* () {
      const { ask } = yield* Shop
      const extension = requiredOf(yield* ask(path)).extensions?.["payment-identifier"]
      assert.deepStrictEqual(validatePaymentIdentifier(extension), { valid: true })
      const { extensions } = named("order_0123456789abcdef")
      assert.deepStrictEqual(validatePaymentIdentifier(extensions["payment-identifier"]), { valid: true })
    })
  )

  it.effect("are given again to the wallet that signs in, and to no other", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { ask } = yield* Shop
      const payer = yield* chain.payer(1_000_000n)
      const signIn = Effect.fnUntraced(function* (wallet: PrivateKeyAccount, over: object = {}, from = path) {
        const { "sign-in-with-x": offered } = decoded(yield* ask(from), "payment-required")["extensions"] as {
          readonly "sign-in-with-x": unknown
        }
        const extension = offered as {
          readonly info: Parameters<typeof createSIWxPayload>[0]
          readonly supportedChains: ReadonlyArray<{ chainId: string; type: "eip191" }>
        }
        const [chosen] = extension.supportedChains
        const info = { ...extension.info, ...chosen }
        const payload = yield* attempt(() => createSIWxPayload(info, wallet, `${baseUrl}${from}`))
        const headers = { "SIGN-IN-WITH-X": encodeSIWxHeader({ ...payload, ...over }) }
        return yield* ask({ path, headers })
      })
      assert.strictEqual((yield* signIn(payer)).status, 402)
      const id = named("order_of_the_wallet_1")
      const first = yield* bought(payer, id)
      assert.strictEqual(first.status, 200)
      const again = yield* signIn(payer)
      assert.strictEqual(again.status, 200, again.body.toString("utf8"))
      assert.strictEqual(again.body.toString("utf8"), first.body.toString("utf8"))
      assert.strictEqual(yield* chain.balance(payer.address), 510_000n)

      const other = yield* chain.payer(1_000_000n)
      assert.strictEqual((yield* signIn(other)).status, 402)
      for (const forged of [
        yield* signIn(other, { address: payer.address }),
        yield* signIn(payer, { nonce: "0".repeat(32) }),
        yield* signIn(payer, { issuedAt: "2026-01-01T00:00:00.000Z" }),
        yield* signIn(payer, {}, "/x402/v1/data/depin_networks")
      ]) {
        assert.deepInclude(json(forged), { status: 400, field: "SIGN-IN-WITH-X" })
      }
    })
  )

  it.effect("are checked from files alone: data, money, log head and payee", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { ask, payTo } = yield* Shop
      const reply = yield* bought(yield* chain.payer(1_000_000n))
      const keys = yield* ask("/.well-known/service-signing-key.json")
      const kid = (json(keys)["keys"] as ReadonlyArray<{ kid: string }>)[0]?.kid ?? ""
      const statement = yield* ask("/.well-known/payee.json")
      const payee = saved(statement.body)
      const trust = ["--keys", saved(keys.body), `--key=${kid}`]
      const whole = ["receipt", saved(reply.body), "--payee", payee, ...trust]
      const good = yield* verified(whole)
      assert.strictEqual(good.exit, 0, good.text)
      const unvouched = yield* verified(["receipt", saved(reply.body), ...trust.slice(0, 2)])
      assert.strictEqual(unvouched.exit, 2, unvouched.text)

      const text = reply.body.toString("utf8")
      const changes: ReadonlyArray<readonly [string, string, RegExp]> = [
        ['"value":1', '"value":2', /the data is not what the receipt names/],
        ['"amount":"490000"', '"amount":"490001"', /its amount is not the one in the receipt/],
        ['"signature":"eyJ', '"signature":"eyK', /receipt/]
      ]
      for (const [was, is, says] of changes) {
        assert.include(text, was)
        const bad = yield* verified(["receipt", saved(text.replace(was, is)), ...trust])
        assert.strictEqual(bad.exit, 1, bad.text)
        assert.match(bad.text, says)
      }
      const elsewhere = saved(statement.body.toString("utf8").replace(payTo, `0x${"ab".repeat(20)}`))
      const diverted = yield* verified(["receipt", saved(reply.body), "--payee", elsewhere, ...trust])
      assert.strictEqual(diverted.exit, 1, diverted.text)

      const before = yield* verified(["payee", payee, "--pay-to", payTo, ...trust])
      assert.strictEqual(before.exit, 0, before.text)
      const wrong = yield* verified(["payee", payee, "--pay-to", `0x${"ab".repeat(20)}`, ...trust])
      assert.strictEqual(wrong.exit, 1, wrong.text)
    })
  )

  it.effect("deliver what was known at an earlier time, and are not charged where there is none", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { ask, offer } = yield* Shop
      const terms = yield* offer("dilution_risk_map")
      const payer = yield* chain.payer(10_000_000n)
      const signed = yield* Effect.promise(() => sign(payer, terms))
      const askAsKnownAt = (time: string, headers: Record<string, string> = {}) =>
        ask({ path: `/x402/v1/data/dilution_risk_map?as_known_at=${time}`, headers })
      const paid = { "payment-signature": encode(payloadOf(signed, terms)) }
      for (const time of ["yesterday", "2999-01-01T00:00:00Z", "2026-08-05T00:00:00Z"]) {
        assert.deepInclude(json(yield* askAsKnownAt(time)), { status: 400, field: "as_known_at" }, time)
        assert.deepInclude(json(yield* askAsKnownAt(time, paid)), { status: 400, field: "as_known_at" }, time)
      }
      assert.strictEqual(yield* chain.balance(payer.address), 10_000_000n)
      assert.strictEqual((yield* askAsKnownAt("2026-09-01T00:00:00Z")).status, 402)
      const sold = json(yield* askAsKnownAt("2026-09-01T00:00:00Z", paid))
      assert.deepInclude(sold, { status: "purchased", price_paid: 4.99 })
      assert.deepInclude(sold["data"] as object, { as_known_at: "2026-09-01T00:00:00Z" })
      assert.strictEqual(yield* chain.balance(payer.address), 5_010_000n)
    })
  )

  it.effect("are not charged where the data is older than the buyer accepts", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { ask, offer } = yield* Shop
      const terms = yield* offer("node_quality_score")
      const payer = yield* chain.payer(10_000_000n)
      const signed = yield* Effect.promise(() => sign(payer, terms))
      const askWithMinAsOf = (minAsOf: string) =>
        ask({
          path: `/x402/v1/data/node_quality_score?min_as_of=${minAsOf}`,
          headers: { "payment-signature": encode(payloadOf(signed, terms)) }
        })
      const old = yield* askWithMinAsOf("2026-09-02T00:00:00Z")
      assert.deepInclude(json(old), {
        status: 412,
        error: "data_too_old",
        min_as_of: "2026-09-02T00:00:00Z",
        oldest_as_of: "2026-09-01T00:00:00Z",
        newest_as_of: "2026-09-03T00:00:00Z"
      })
      assert.deepInclude(json(yield* askWithMinAsOf("yesterday")), { status: 400, field: "min_as_of" })
      assert.strictEqual(yield* chain.balance(payer.address), 10_000_000n)
      // The same authorization is still good for data that is fresh enough.
      assert.strictEqual((yield* askWithMinAsOf("2026-09-01T00:00:00Z")).status, 200)
      assert.strictEqual(yield* chain.balance(payer.address), 5_010_000n)
    })
  )
})
