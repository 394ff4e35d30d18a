/** Test mode: what is bought below `/test` is simulated, costs nothing, and leaves no trace in the live service. */
import { execFile } from "node:child_process"
import type { IncomingMessage } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as fc from "fast-check"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { soldPerRequest } from "../../core/products/index.ts"
import { fromBase64Url } from "../../core/proof/bytes.ts"
import { readJws } from "../../core/proof/jws.ts"
import { verifyReceipt } from "../../core/proof/verifyReceipt.ts"
import { methodOf, paidPathOf, readPaths } from "../../core/wire/credits/reads.ts"
import type { Requirements } from "../../core/wire/credits/x402.ts"
import { modeHeader } from "../../http/HttpSettings.ts"
import { testSteps } from "../../http/pages/docs/testMode.ts"
import * as Stripe from "../../runtime/outside/stripe.ts"
import { onBothEngines } from "../support/database.ts"
import { freePort } from "../support/freePort.ts"
import { encode, payloadOf, sign } from "../support/payments.ts"
import { authority, baseUrl, Service } from "../support/service.ts"
import { makeSettler, terms } from "../support/settler.ts"
import { decoded } from "../support/shop.ts"
import { type Call, header, json, type Reply, signatureFault } from "../support/signed.ts"
import { stripeStub, webhookSecret } from "../support/stripe.ts"
import { bothSides, standIn, started } from "../support/testMode.ts"

type Ask = (call: Call | string) => Effect.Effect<Reply>
type Side = "live" | "test"

const below: Readonly<Record<Side, string>> = { live: "", test: "/test" }

const post = (ask: Ask, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  ask({
    method: "POST",
    path,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

let networks = 0

/** A new key, of a network of its own. */
const keyOf = Effect.fnUntraced(function* (ask: Ask, side: Side) {
  const from = { "x-forwarded-for": `198.18.${networks >> 8}.${networks++ & 255}` }
  const reply = yield* post(ask, `${below[side]}/v1/credits/register`, {}, from)
  assert.strictEqual(reply.status, 200)
  return { registration: json(reply), headers: { "x-api-key": String(json(reply)["api_key"]) } }
})

/** A payment for a product on one side, for the offer of that side. */
const paid = Effect.fnUntraced(function* (ask: Ask, side: Side, product: string) {
  const path = `${below[side]}/x402/v1/data/${product}`
  const required = decoded(yield* ask(path), "payment-required")
  const [offer] = required["accepts"] as ReadonlyArray<Requirements>
  if (offer === undefined) return assert.fail("no offer")
  const payer = privateKeyToAccount(generatePrivateKey())
  const signed = yield* Effect.promise(() => sign(payer, offer))
  return yield* ask({ path, headers: { "PAYMENT-SIGNATURE": encode(payloadOf(signed, offer)) } })
})

const settlers = () => {
  const live = makeSettler().settler
  const { settler } = makeSettler()
  const network = { ...terms, network: "eip155:84532", networkV1: "base-sepolia" }
  return { live: { settler: live }, test: { settler: { ...settler, terms: Effect.succeed(network) } } }
}

/** Ways to use a side; each is one of its addresses that charges, promises or asks for money. */
const uses = [
  "register",
  "buy",
  "dry run",
  "pay per request",
  "ask for an offer",
  "take a key",
  "rotate",
  "read",
  "statement"
] as const
type Use = (typeof uses)[number]

const act = Effect.fnUntraced(function* (ask: Ask, side: Side, use: Use) {
  const path = (of: string) => `${below[side]}${of}`
  const product = { product_key: "depin_provenance" }
  if (use === "pay per request") return yield* paid(ask, side, "dilution_risk_map")
  if (use === "ask for an offer") return yield* ask(path("/x402/v1/data/depin_provenance"))
  const { headers } = yield* keyOf(ask, side)
  switch (use) {
    case "register":
      return
    case "buy":
      return yield* post(ask, path("/v1/credits/purchase"), product, { ...headers, "idempotency-key": "a" })
    case "dry run":
      return yield* post(ask, path("/v1/credits/purchase/dry-run"), product, headers)
    case "take a key":
      return yield* post(ask, path("/v1/credits/keys"), { name: "one more", scopes: ["read"] }, headers)
    case "rotate":
      return yield* post(ask, path("/v1/credits/rotate"), {}, headers)
    case "read":
      return yield* ask({ path: path("/v1/network/FIL"), headers })
    case "statement":
      return yield* ask({ path: path("/v1/credits/statement"), headers })
  }
})

const step = fc.record({ side: fc.constantFrom<Side>("live", "test"), use: fc.constantFrom(...uses) })

onBothEngines("the two ledgers", (database) => {
  it.live(
    "whatever interleaves, test mode changes no row of the live database, and the reverse",
    () =>
      Effect.gen(function* () {
        const sides = yield* bothSides({ database, ...settlers() })
        const ask = sides.live.call
        const other = { live: sides.test, test: sides.live }
        const changed = { live: 0, test: 0 }
        for (const steps of fc.sample(fc.array(step, { minLength: 1, maxLength: 6 }), 6)) {
          for (const { side, use } of steps) {
            const before = yield* Effect.all([other[side].content, sides[side].content])
            yield* act(ask, side, use)
            const after = yield* Effect.all([other[side].content, sides[side].content])
            assert.deepStrictEqual(after[0], before[0], `${use} on the ${side} side`)
            if (JSON.stringify(after[1]) !== JSON.stringify(before[1])) changed[side] += 1
          }
        }
        // Else nothing was tried.
        assert.isAbove(Math.min(changed.live, changed.test), 0)
        for (const { ledger } of [sides.live, sides.test]) {
          const report = yield* ledger.check
          assert.isTrue(report.ok, report.problems.join("; "))
        }
      }).pipe(Effect.scoped),
    120_000
  )
})

describe("a key", () => {
  it.live("of one side is refused on the other, at every address, and told why", () =>
    Effect.gen(function* () {
      const { live } = yield* bothSides(settlers())
      const ask = live.call
      const keys = { live: yield* keyOf(ask, "live"), test: yield* keyOf(ask, "test") }
      assert.match(keys.live.headers["x-api-key"], /^plk_[\w-]{43}$/)
      assert.match(keys.test.headers["x-api-key"], /^plk_test_[\w-]{43}$/)
      assert.isUndefined(keys.live.registration["test"])
      assert.deepInclude(keys.test.registration, { test: true, credits_balance: 5 })
      const priced = [
        ...soldPerRequest.map((key) => ({ method: "GET" as const, path: `/x402/v1/data/${key}` })),
        ...readPaths.map((path) => ({ method: methodOf(path), path: paidPathOf(path) })),
        ...readPaths.map((path) => ({ method: methodOf(path), path })),
        { method: "POST" as const, path: "/v1/credits/purchase" },
        { method: "GET" as const, path: "/v1/credits/balance" },
        { method: "GET" as const, path: "/v1/export" },
        { method: "GET" as const, path: "/v1/network/FIL" },
        { method: "POST" as const, path: "/mcp" }
      ]
      for (const { method, path } of priced) {
        const at = path.replaceAll(/\{\w+\}/g, "FIL")
        const body = method === "POST" ? { body: "{}" } : {}
        const type = { "content-type": "application/json", accept: "application/json, text/event-stream" }
        const onLive = yield* ask({ method, path: at, headers: { ...type, ...keys.test.headers }, ...body })
        assert.strictEqual(onLive.status, 401, at)
        assert.include(String(json(onLive)["message"]), "it works only below https://plumbline.test/test.")
        assert.isUndefined(onLive.headers["plumbline-mode"])
        const onTest = yield* ask({
          method,
          path: `/test${at}`,
          headers: { ...type, ...keys.live.headers },
          ...body
        })
        assert.strictEqual(onTest.status, 401, at)
        assert.include(String(json(onTest)["message"]), "test mode does not accept live keys")
        assert.strictEqual(header(onTest, "plumbline-mode"), "test")
      }
    }).pipe(Effect.scoped)
  )

  it.live("of test mode is refused by a service that has none", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const headers = { "x-api-key": `plk_test_${"a".repeat(43)}` }
      const reply = yield* call({ path: "/v1/network/FIL", headers })
      assert.strictEqual(reply.status, 401)
      assert.include(String(json(reply)["message"]), "this service has no test mode")
      assert.strictEqual((yield* call("/test/v1/network/FIL")).status, 404)
    }).pipe(Effect.provide(Service.layer()))
  )
})

describe("what test mode answers", () => {
  it.live("is signed for the address that was asked, and marked", () =>
    Effect.gen(function* () {
      const { live, test } = yield* bothSides(settlers())
      const ask = live.call
      const { headers } = yield* keyOf(ask, "test")
      const product = { product_key: "depin_provenance" }
      const bought = yield* post(ask, "/test/v1/credits/purchase", product, headers)
      const receipt = `/test/v1/credits/purchases/${json(bought)["purchase_id"]}`
      const replies = [
        bought,
        yield* post(ask, "/test/v1/credits/purchase/dry-run", product, headers),
        yield* ask({ path: "/test/v1/credits/balance", headers }),
        yield* ask({ path: "/test/v1/credits/statement?limit=1", headers }),
        yield* ask({ path: receipt, headers }),
        yield* ask("/test/v1/credits/pricing"),
        yield* ask("/test/x402"),
        yield* ask("/test/x402/v1/data/depin_provenance"),
        yield* paid(ask, "test", "depin_provenance")
      ]
      for (const reply of replies) {
        assert.oneOf(reply.status, [200, 402], reply.path)
        assert.isUndefined(signatureFault(reply, test.keys, authority), reply.path)
        assert.strictEqual(header(reply, "plumbline-mode"), "test", reply.path)
        assert.strictEqual(header(reply, "x-service-mode"), "replay", reply.path)
        assert.strictEqual(json(reply)["test"], true, reply.path)
      }
      assert.deepStrictEqual(json(bought)["data"], { side: "test" })
    }).pipe(Effect.scoped)
  )

  it.live("has receipts whose keys are found by their DID, below /test", () =>
    Effect.gen(function* () {
      const { live } = yield* bothSides(settlers())
      const sale = yield* paid(live.call, "test", "depin_provenance")
      const { receipt } = json(sale) as { readonly receipt: { readonly signature: string } }
      const { isSignedBy, kid } = readJws(receipt.signature)
      const did = json(yield* live.call("/test/did.json")) as {
        readonly id: string
        readonly verificationMethod: ReadonlyArray<{
          readonly id: string
          readonly publicKeyJwk: { readonly x: string }
        }>
      }
      assert.strictEqual(did.id, "did:web:plumbline.test:test")
      const method = did.verificationMethod.find(({ id }) => id === `${did.id}#${kid}`)
      assert.isTrue(isSignedBy(fromBase64Url(method?.publicKeyJwk.x ?? assert.fail("no such key"))))
      const keys = json(yield* live.call("/test/.well-known/service-signing-key.json"))
      const checks = verifyReceipt(sale.body, { keys })
      assert.deepStrictEqual(
        checks.filter(({ ok }) => ok === false),
        []
      )
    }).pipe(Effect.scoped)
  )

  it.live("comes by four commands, as the documentation has them", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      yield* bothSides({ port })
      const commands = testSteps(`http://127.0.0.1:${port}/test`).map(({ command }) => command)
      const out = yield* Effect.promise(
        () =>
          new Promise<string>((resolve, reject) =>
            execFile("bash", ["-ec", commands.join("\necho\n")], (error, text) =>
              error === null ? resolve(text) : reject(error)
            )
          )
      )
      const [dryRun, bought, balance] = out
        .trim()
        .split("\n")
        .map((line): Readonly<Record<string, unknown>> => JSON.parse(line))
      assert.deepInclude(dryRun, { test: true, status: "dry_run", would_be_bought: true, price: 0.49 })
      assert.deepInclude(bought, { test: true, status: "purchased", data: { side: "test" } })
      assert.deepInclude(balance, { test: true, credits_balance: 4.51 })
    }).pipe(Effect.scoped)
  )

  it.live("has addresses below /test, also in offers, and the live catalog names it", () =>
    Effect.gen(function* () {
      const { live } = yield* bothSides(settlers())
      const offer = yield* live.call("/test/x402/v1/data/depin_provenance")
      const { accepts, resource } = decoded(offer, "payment-required")
      assert.deepInclude(resource as object, { url: `${baseUrl}/test/x402/v1/data/depin_provenance` })
      assert.deepInclude((accepts as ReadonlyArray<object>)[0], { network: "eip155:84532" })
      const catalog = json(yield* live.call("/x402"))
      assert.strictEqual(catalog["test_mode"], `${baseUrl}/test`)
      assert.isUndefined(catalog["test"])
      const page = yield* live.call("/test/products")
      assert.strictEqual(page.status, 404)
      assert.include(String(json(page)["message"]), "https://plumbline.test/docs/test-mode")
      // A browser is led to the page of the live service, as after a checkout that it broke off.
      const browser = yield* live.call({ path: "/test/account?a=1", headers: { accept: "text/html,*/*" } })
      assert.deepStrictEqual(
        [browser.status, header(browser, "location")],
        [308, "https://plumbline.test/account?a=1"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("leads to the pages of a live service that is below a path", () =>
    Effect.gen(function* () {
      const { call } = yield* started({ testMode: { keys: "test" }, path: "/base" })
      const page = yield* call("/base/test/products")
      assert.strictEqual(page.status, 404)
      assert.include(String(json(page)["message"]), "https://plumbline.test/base/docs/test-mode")
      const browser = yield* call({ path: "/base/test/account?a=1", headers: { accept: "text/html,*/*" } })
      assert.deepStrictEqual(
        [browser.status, header(browser, "location")],
        [308, "https://plumbline.test/base/account?a=1"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("is counted by the caller's network, and not by what he writes into a header", () =>
    Effect.gen(function* () {
      const requests: Array<IncomingMessage["headers"]> = []
      const service = yield* standIn((request, response) => {
        requests.push(request.headers)
        response.setHeader(modeHeader, "test").end("{}")
      })
      const of = (trustProxy: number) =>
        Effect.flatMap(Service, ({ call }) =>
          call({ path: "/test/x", headers: { "x-forwarded-for": "203.0.113.9, 198.51.100.7" } })
        ).pipe(
          Effect.provide(
            Service.layer({
              trustProxy,
              testMode: { keys: "live", service }
            })
          )
        )
      yield* of(0)
      yield* of(1)
      assert.deepStrictEqual(
        requests.map((headers) => headers["x-forwarded-for"]),
        ["127.0.0.1", "198.51.100.7"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("is a 503 if what answers is no test service", () =>
    Effect.gen(function* () {
      const { port } = yield* started({ testMode: { keys: "live" } })
      const service = new URL(`http://127.0.0.1:${port}`)
      const { call } = yield* started({ testMode: { keys: "live", service } })
      assert.strictEqual((yield* call("/v1/credits/pricing")).status, 200)
      const reply = yield* call({ method: "POST", path: "/test/v1/credits/register" })
      assert.strictEqual(reply.status, 503)
      assert.notInclude(reply.body.toString("utf8"), "plk_")
    }).pipe(Effect.scoped)
  )

  it.live("is a 503 while the test service is away, and the live one goes on", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const reply = yield* call("/test/v1/credits/pricing")
      assert.strictEqual(reply.status, 503)
      assert.include(String(json(reply)["message"]), "Test mode is unavailable")
      assert.strictEqual((yield* call("/v1/credits/pricing")).status, 200)
    }).pipe(
      Effect.provide(Service.layer({ testMode: { keys: "live", service: new URL("http://127.0.0.1:9") } }))
    )
  )
})

describe("cards", () => {
  it.effect("an event of Stripe is taken by the side of its livemode alone", () =>
    Effect.gen(function* () {
      const { processor, stub } = yield* stripeStub
      const real = Stripe.make({
        secretKey: Redacted.make("sk_live_stub"),
        webhookSecrets: [Redacted.make(webhookSecret)]
      })
      const { live } = yield* bothSides({ live: { cards: real }, test: { cards: processor } })
      const ask = live.call
      const { headers } = yield* keyOf(ask, "test")
      const order = yield* post(ask, "/test/v1/credits/topup", { method: "stripe", amount: 20 }, headers)
      const session = String(json(order)["checkout_url"]).split("/").at(-1) ?? ""
      const form = stub.requests.at(-1)?.form
      assert.include(form?.get("success_url") ?? "", `${baseUrl}/test/paid?`)
      const event = stub.complete(session)
      const deliver = (side: Side, of: object) => {
        const { body, signature } = stub.sign(of)
        return post(ask, `${below[side]}/webhooks/stripe`, body, { "stripe-signature": signature })
      }
      const before = yield* live.content
      assert.strictEqual((yield* deliver("live", event)).status, 400)
      assert.strictEqual((yield* deliver("test", { ...event, livemode: true })).status, 400)
      const balance = Effect.map(ask({ path: "/test/v1/credits/balance", headers }), json)
      assert.deepInclude(yield* balance, { credits_balance: 5 })
      assert.strictEqual((yield* deliver("test", event)).status, 200)
      assert.deepInclude(yield* balance, { credits_balance: 25, test: true })
      assert.deepStrictEqual(yield* live.content, before)
    }).pipe(Effect.scoped)
  )
})
