/** A sale per request from the offer to the data, on a real chain. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { report } from "../../core/credits/books/report.ts"
import { SalesChain } from "../../core/credits/chain/Chain.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import type { Prices } from "../../core/credits/pricing.ts"
import { sha256 } from "../../core/credits/Secret.ts"
import { SalesLog } from "../../core/publications/SalesLog.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import { mirror } from "../../http/client/verifier/src/mirror.ts"
import { served } from "../../http/client/verifier/src/monitor/source.ts"
import * as Evm from "../../runtime/outside/evm.ts"
import { Chain, usdc } from "../support/base.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { client } from "../support/monitorOnce.ts"
import { encode, named, payloadOf, sign } from "../support/payments.ts"
import { authority, baseUrl, Service } from "../support/service.ts"
import { builds, decoded, Shop } from "../support/shop.ts"
import { header, json, type Reply, signatureFault } from "../support/signed.ts"
import { installed } from "./installed.ts"

const { Challenge } = await installed(() => import("mppx"))
const { validate } = await installed(() => import("mppx/discovery"))

const signedAnswer = Effect.fnUntraced(function* (reply: Reply) {
  const { keys } = yield* Service
  assert.isUndefined(signatureFault(reply, keys, authority), reply.path)
})

const services = SalesLog.layer.pipe(Layer.provideMerge(Shop.layer), Layer.provideMerge(Chain.layer))

layerNeeding("counterparties")(services, {
  excludeTestServices: true
})("a sale", (it) => {
  it.effect("begins with an offer in the header and the body, and how to pay", () =>
    Effect.gen(function* () {
      const { ask, payTo } = yield* Shop
      const reply = yield* ask("/x402/v1/data/dilution_risk_map")
      assert.strictEqual(reply.status, 402)
      yield* signedAnswer(reply)
      const required = decoded(reply, "payment-required")
      assert.deepStrictEqual(required["accepts"], [
        {
          scheme: "exact",
          network: "eip155:8453",
          amount: "4990000",
          asset: usdc,
          payTo,
          maxTimeoutSeconds: 300,
          extra: { name: "USD Coin", version: "2" }
        }
      ])
      assert.deepInclude(required, { x402Version: 2, error: "PAYMENT-SIGNATURE header is required" })
      assert.deepInclude(required["resource"] as object, {
        url: "https://plumbline.test/x402/v1/data/dilution_risk_map",
        mimeType: "application/json"
      })
      const body = json(reply)
      assert.deepInclude(body, {
        x402Version: 2,
        // With the members of both versions, and the name of the chain that clients of version 1 know.
        accepts: [
          {
            ...(required["accepts"] as ReadonlyArray<object>)[0],
            network: "base",
            maxAmountRequired: "4990000",
            resource: "https://plumbline.test/x402/v1/data/dilution_risk_map",
            description: (required["resource"] as { readonly description: string }).description,
            mimeType: "application/json"
          }
        ],
        resource: required["resource"],
        error: "payment_required",
        type: "/problems/payment-required",
        status: 402,
        price_usd: 4.99
      })
      assert.include(JSON.stringify(body["how_to_pay"]), "setSpendControls")
      const { mpp } = body["how_to_pay"] as { mpp: { method: string; intent: string; steps: Array<string> } }
      const challenge = Challenge.deserialize(header(reply, "www-authenticate"))
      assert.deepStrictEqual([mpp.method, mpp.intent], [challenge.method, challenge.intent])
      assert.include(mpp.steps.join(" "), "WWW-Authenticate")
      assert.include(header(reply, "cache-control"), "no-store")
      assert.strictEqual((yield* ask("/problems/payment-required")).status, 200)
    })
  )

  it.effect("ends with the data, a receipt, the money where it belongs and an entry in the ledger", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { buy, offer, payTo } = yield* Shop
      const sql = yield* SqlClient.SqlClient
      const terms = yield* offer("depin_provenance")
      assert.strictEqual(terms.amount, "490000")
      const payer = yield* chain.payer(1_000_000n)
      const before = yield* chain.balance(payTo)
      const signed = yield* Effect.promise(() => sign(payer, terms))
      const reply = yield* buy("depin_provenance", encode(payloadOf(signed, terms)))
      assert.strictEqual(reply.status, 200, reply.body.toString("utf8"))
      yield* signedAnswer(reply)
      assert.strictEqual((yield* chain.balance(payTo)) - before, 490_000n)
      assert.strictEqual(yield* chain.balance(payer.address), 510_000n)

      const body = json(reply)
      const text = reply.body.toString("utf8")
      const data = text.slice(text.indexOf(',"data":') + 8, -1)
      assert.strictEqual(body["payload_sha256"], sha256(data))
      assert.deepInclude(body, {
        status: "purchased",
        price_paid: 0.49,
        delivery: "inline",
        product_key: "depin_provenance"
      })
      const settlement = decoded(reply, "payment-response")
      assert.deepInclude(settlement, {
        success: true,
        network: "eip155:8453",
        payer: payer.address.toLowerCase(),
        amount: "490000"
      })
      const { logs } = yield* Effect.promise(() =>
        chain.client.getTransactionReceipt({ hash: settlement["transaction"] as `0x${string}` })
      )
      assert.strictEqual(logs.length, 2)
      assert.include(header(reply, "cache-control"), "no-store")
      assert.strictEqual(header(reply, "etag"), "")

      const entries = yield* sql`
        select e.account, e.amount from posting p join ledger_entry e on e.posting = p.id
        where p.reference = ${String(body["purchase_id"])} order by e.account`
      assert.deepStrictEqual(
        entries.map((entry) => ({ ...entry })),
        [
          { account: "sales", amount: 490_000n },
          { account: "x402", amount: -490_000n }
        ]
      )
      assert.isTrue((yield* (yield* Ledger).check).ok)
    })
  )

  it.effect("is given again byte for byte for the same authorization, and paid once", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { buy, offer, payTo } = yield* Shop
      const terms = yield* offer("depin_provenance")
      const payer = yield* chain.payer(5_000_000n)
      const before = yield* chain.balance(payTo)
      const signed = yield* Effect.promise(() => sign(payer, terms))
      const payment = encode(payloadOf(signed, terms))
      const built = builds.provenance
      const replies = yield* Effect.forEach(
        Array.from({ length: 6 }),
        () => buy("depin_provenance", payment),
        { concurrency: "unbounded" }
      )
      replies.push(yield* buy("depin_provenance", payment))
      assert.deepStrictEqual(
        replies.map(({ status }) => status),
        replies.map(() => 200)
      )
      assert.strictEqual(new Set(replies.map(({ body }) => body.toString("utf8"))).size, 1)
      assert.strictEqual(new Set(replies.map((reply) => header(reply, "payment-response"))).size, 1)
      assert.strictEqual((yield* chain.balance(payTo)) - before, 490_000n)
      assert.isAtLeast(builds.provenance, built + 1)

      const other = yield* buy("depin_networks", payment)
      assert.deepInclude(json(other), { status: 409, error: "payment_reused" })
      // Who reads the chain learns all but the payer's own words: another signature gets nothing.
      const first = signed.signature[2] === "0" ? "1" : "0"
      const forged = { ...signed, signature: `0x${first}${signed.signature.slice(3)}` as const }
      const stolen = yield* buy("depin_provenance", encode(payloadOf(forged, terms)))
      assert.strictEqual(stolen.status, 409)
      assert.strictEqual((yield* chain.balance(payTo)) - before, 490_000n)
    })
  )

  it.effect("with an identifier of the payer is given again to who knows it, and to no one else", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { buy, offer } = yield* Shop
      const terms = yield* offer("depin_networks")
      const payer = yield* chain.payer(5_000_000n)
      const signed = yield* Effect.promise(() => sign(payer, terms))
      const id = named("order_0123456789abcdef")
      const first = yield* buy("depin_networks", encode(payloadOf(signed, terms, id)))
      assert.strictEqual(first.status, 200)
      const again = yield* buy("depin_networks", encode(payloadOf(signed, terms, id)))
      assert.strictEqual(again.body.toString("utf8"), first.body.toString("utf8"))
      assert.strictEqual((yield* buy("depin_networks", encode(payloadOf(signed, terms)))).status, 409)

      const second = yield* Effect.promise(() => sign(payer, terms))
      const reused = yield* buy("depin_networks", encode(payloadOf(second, terms, id)))
      assert.deepInclude(json(reused), { status: 409, error: "payment_reused" })
      for (const wrong of ["short", "x".repeat(129), "sp ace sp ace sp ace", 5, null]) {
        const refused = yield* buy("depin_networks", encode(payloadOf(second, terms, named(wrong))))
        assert.deepInclude(json(refused), { status: 400, reason: "invalid_payload" })
      }
      assert.strictEqual(yield* chain.balance(payer.address), 4_010_000n)
    })
  )

  it.effect("is listed with its offer; what is not built, and what is not sold, has none", () =>
    Effect.gen(function* () {
      const { ask } = yield* Shop
      const listed = yield* ask("/x402")
      assert.strictEqual(listed.status, 200)
      yield* signedAnswer(listed)
      const all = json(listed)["products"] as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        all.map(({ available, price_usd, product_key }) => [product_key, price_usd, available]),
        [
          ["depin_provenance", 0.49, true],
          ["depin_networks", 0.99, true],
          ["depin_revenue_snapshot", 2.99, false],
          ["node_quality_score", 4.99, true],
          ["dilution_risk_map", 4.99, true],
          ["sector_health_index", 4.99, false],
          ["gpu_supply_demand", 9.99, false]
        ]
      )
      const { sections, ways } = json(yield* ask("/v1/credits/pricing")) as unknown as Prices
      assert.isTrue(ways.x402.available && ways.mpp.available)
      for (const { available, product_key } of all) {
        const { ways: open = [] } = sections[String(product_key)] ?? {}
        assert.deepStrictEqual(
          open,
          available === true ? ["credits", "x402", "mpp"] : [],
          String(product_key)
        )
      }
      const page = yield* ask({ path: "/products", headers: { accept: "text/html" } })
      assert.include(page.body.toString(), "credits, x402, MPP")
      const reads = json(listed)["reads"] as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        reads.map(({ available, path, price_usd, url }) => [path, price_usd, url, available]),
        [
          ["/v1/networks", 0.005, `${baseUrl}/x402/v1/networks`, true],
          ["/v1/network/{symbol}", 0.005, `${baseUrl}/x402/v1/network/{symbol}`, true],
          ["/v1/provenance", 0.005, `${baseUrl}/x402/v1/provenance`, true],
          ["/v1/supply", 0.02, `${baseUrl}/x402/v1/supply`, true],
          ["/v1/market", 0.02, `${baseUrl}/x402/v1/market`, true],
          ["/v1/revenue", 0.02, `${baseUrl}/x402/v1/revenue`, true],
          ["/v1/query", 0.02, `${baseUrl}/x402/v1/query`, true],
          ["/v1/asof", 0.02, `${baseUrl}/x402/v1/asof`, true],
          ["/v1/history", 0.02, `${baseUrl}/x402/v1/history`, true]
        ]
      )
      const unbuilt = yield* ask("/x402/v1/data/gpu_supply_demand")
      assert.deepInclude(json(unbuilt), { status: 503, error: "offer_unavailable", available: false })
      assert.strictEqual(header(unbuilt, "payment-required"), "")
      yield* signedAnswer(unbuilt)
      for (const unknown of ["depin_history", "depin_grades", "__proto__"]) {
        assert.strictEqual((yield* ask(`/x402/v1/data/${unknown}`)).status, 404)
      }
      const described = json(yield* ask("/x402/openapi.json"))
      assert.deepStrictEqual(Object.keys(described["paths"] as object).length, 16)
      // The document of the whole API says it too, without a price.
      for (const document of [described, json(yield* ask("/openapi.json"))]) {
        assert.deepStrictEqual(
          validate(document).filter(({ severity }) => severity === "error"),
          []
        )
        const paths = Object.entries(
          document["paths"] as Record<
            string,
            Partial<Record<"get" | "post", { "x-payment-info"?: Record<string, unknown> }>>
          >
        ).filter(([path]) => path.startsWith("/x402/v1/"))
        assert.isNotEmpty(paths)
        for (const [path, { get, post }] of paths) {
          assert.deepStrictEqual((get ?? post)?.["x-payment-info"]?.["protocols"], ["x402", "mpp"], path)
        }
      }
      const path = "/x402/v1/data/depin_networks"
      const { "x-payment-info": info } =
        (described["paths"] as Record<string, { get: { "x-payment-info": { offers: Array<object> } } }>)[path]
          ?.get ?? assert.fail(path)
      const challenge = Challenge.deserialize(header(yield* ask(path), "www-authenticate"))
      const { amount, currency } = challenge.request as { amount: string; currency: string }
      assert.deepStrictEqual(info.offers, [
        {
          method: challenge.method,
          intent: challenge.intent,
          amount,
          currency,
          description: "Network catalog, coverage tiers, market summary"
        }
      ])
    })
  )

  it.effect("is in the report on the books, which names what the chain has and the books have not", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const sql = yield* SqlClient.SqlClient
      const { buy, offer, payTo } = yield* Shop
      const sales = Evm.make({ rpcUrl: chain.rpcUrl, chainId: 8453, token: usdc, depositAddress: payTo })
      const dayMs = 86_400_000
      const reported = Effect.gen(function* () {
        // The chain's own time of day: blocks that tests made ahead are of its day.
        const { timestamp } = yield* Effect.promise(() => chain.client.getBlock({ blockTag: "latest" }))
        const today = Math.floor((Number(timestamp) * 1000) / dayMs) * dayMs
        const books = yield* report({ from: today - dayMs, to: today + dayMs })
        return books.sides.find(({ name }) => name === "x402") ?? assert.fail("no side")
      }).pipe(Effect.provideService(SalesChain, sales))
      yield* chain.mineBlocks(4)
      const before = yield* reported
      assert.deepStrictEqual(before.differences, [])
      const terms = yield* offer("depin_provenance")
      const payer = yield* chain.payer(5_000_000n)
      const signed = yield* Effect.promise(() => sign(payer, terms))
      const reply = yield* buy("depin_provenance", encode(payloadOf(signed, terms)))
      assert.strictEqual(reply.status, 200)
      yield* chain.mineBlocks(4)
      const after = yield* reported
      assert.deepStrictEqual(after.differences, [])
      assert.strictEqual(after.n_compared, before.n_compared + 1)
      assert.strictEqual(after.books_usd, after.theirs_usd)
      assert.closeTo(Number(after.books_usd) - Number(before.books_usd), 0.49, 1e-9)

      // Somebody sends money without buying anything, and a sale says more than was paid.
      const stray = yield* chain.transfer(payer, payTo, 1_000_000n)
      yield* chain.mineBlocks(4)
      assert.deepStrictEqual((yield* reported).differences, [
        `${stray}: the books have 0.00 USD (no sale), the chain has 1.00 USD`
      ])
      const { transaction } = json(reply)["payment"] as { transaction: string }
      yield* sql`update x402_sale set amount = amount + 10000 where tx = ${transaction}`
      const { differences } = yield* reported
      yield* sql`update x402_sale set amount = amount - 10000 where tx = ${transaction}`
      assert.lengthOf(differences, 2)
      assert.include(differences.join(), `${transaction}: the books have 0.50 USD`)
    })
  )

  it.effect("is proved by its buyer, from the receipt to the log's commitment of the day", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { ask, buy, offer } = yield* Shop
      const sql = yield* SqlClient.SqlClient
      const { get } = yield* client
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "sale-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const saved = (name: string, bytes: string | Buffer) => {
        const path = join(folder, name)
        writeFileSync(path, bytes)
        return path
      }
      const terms = yield* offer("depin_networks")
      const payer = yield* chain.payer(5_000_000n)
      const signed = yield* Effect.promise(() => sign(payer, terms))
      const bought = yield* buy("depin_networks", encode(payloadOf(signed, terms)))
      assert.strictEqual(bought.status, 200)
      const { commitment } = json(bought) as { readonly commitment: { readonly sha256: string } }
      // The chain and the receipt have the machine's time, so the day after the sale is made by moving the sale.
      yield* sql`update sale_commitment set made_at = made_at - interval '2 days'`
      assert.lengthOf(yield* (yield* SalesLog).run, 1)

      const { keys } = json(yield* ask("/.well-known/service-signing-key.json")) as {
        readonly keys: ReadonlyArray<{ readonly kid: string }>
      }
      const pinned = keys.map(({ kid }) => `--key=${kid}`)
      const verify = (file: string, ...more: ReadonlyArray<string>) =>
        Effect.promise(async () => {
          const lines: Array<string> = []
          const trusting = ["--url", baseUrl, ...pinned, "--pins", "none"]
          const exit = await main(["sale", file, ...trusting, ...more], {
            print: (line) => lines.push(line),
            env: {},
            get
          })
          return { exit, text: lines.join("\n") }
        })
      const sale = saved("sale.json", bought.body)
      const fromService = yield* verify(sale)
      assert.match(fromService.text, /^ok +receipt/m)
      assert.match(fromService.text, /^ok +sales of the day/m)
      assert.strictEqual(fromService.exit, 0, fromService.text)

      // Offline: a mirror, and the proof that the buyer saved.
      const copy = { print: () => undefined, say: () => undefined, trust: {}, now: Date.now, random: () => 0 }
      yield* Effect.promise(() => mirror(served(get, baseUrl), join(folder, "mirror"), copy))
      const alone = yield* verify(sale, "--dir", join(folder, "mirror"))
      assert.match(alone.text, /^not proved +sales of the day: .*pass it with --proof/m)
      const proof = saved("proof.json", (yield* ask(`/v1/log/sales/${commitment.sha256}`)).body)
      const offline = yield* verify(sale, "--dir", join(folder, "mirror"), "--proof", proof)
      assert.match(offline.text, /^ok +sales of the day/m)
      assert.strictEqual(offline.exit, fromService.exit, offline.text)

      const text = bought.body.toString("utf8")
      const forged = yield* verify(saved("forged.json", text.replace('["FIL"]', '["GLM"]')))
      assert.match(forged.text, /FAILED +payload/)
      assert.strictEqual(forged.exit, 1)
    })
  )

  it.effect("is never made by a HEAD, nor by two payments in one request", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { ask, offer } = yield* Shop
      const terms = yield* offer("depin_networks")
      const payer = yield* chain.payer(5_000_000n)
      const signed = yield* Effect.promise(() => sign(payer, terms))
      const payment = encode(payloadOf(signed, terms))
      const path = "/x402/v1/data/depin_networks"
      const head = yield* ask({ method: "HEAD", path, headers: { "payment-signature": payment } })
      assert.strictEqual(head.status, 402)
      const both = yield* ask({ path, headers: { "payment-signature": payment, "x-payment": payment } })
      assert.strictEqual(both.status, 400)
      assert.strictEqual(yield* chain.balance(payer.address), 5_000_000n)
    })
  )
})
