/** Reads by the page: the public clients buy the answers of the keyless paths, for the prices of the price list. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../core/clock/DataClock.ts"
import { Accounts } from "../../core/credits/Accounts.ts"
import { LimitSettings } from "../../core/credits/Limits.ts"
import { sha256 } from "../../core/credits/Secret.ts"
import { removeOldBodies } from "../../core/credits/x402/Sales.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Chain, usdc } from "../support/base.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { encode, payloadOf, sign } from "../support/payments.ts"
import * as Runs from "../support/runs.ts"
import { baseUrl } from "../support/service.ts"
import { decoded, Shop } from "../support/shop.ts"
import { header, json, type Reply } from "../support/signed.ts"
import { installed } from "./installed.ts"
import { payingFetch, payingFetchOld } from "./x402.ts"

const { validateDiscoveryExtension } = await installed(() => import("@x402/extensions/bazaar"))
const { decodePaymentResponseHeader } = await installed(() => import("@x402/fetch"))
const { evm, Fetch } = await installed(() => import("mppx/client"))

const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: String })

const metric = "active_storage_providers"

/** The priced paths of the specification, each with parameters that it takes, in the smallest unit of USDC. */
const priced: ReadonlyArray<readonly [path: string, amount: bigint]> = [
  ["/networks?limit=3", 5_000n],
  ["/network/FIL", 5_000n],
  ["/provenance?network=FIL", 5_000n],
  ["/supply", 20_000n],
  ["/supply?format=csv", 20_000n],
  ["/market?limit=1", 20_000n],
  ["/revenue", 20_000n],
  ["/history?network=FIL", 20_000n],
  [`/history?network=*&metric=${metric}`, 20_000n]
]

/** An answer about every network is made anew for each request, and says when. */
const withoutTime = (text: string): string => text.replace(/"generated_utc":"[^"]*"/, "")

const seed = Effect.gen(function* () {
  const rows = ["FIL", "GEOD"].map((symbol, n) =>
    Runs.row(n + 1, "2026-09-03T07:00:00Z", { symbol, metric, source: "made-up" })
  )
  yield* (yield* Ingest).write(Runs.delivery(Date.UTC(2026, 8, 3, 8), rows, "made-up"))
})

/** Asks as a key of the Design Partner tier. */
const partner = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { ask } = yield* Shop
  const { api_key } = yield* accounts.register({}, "192.0.2.77")
  const { id } = yield* accounts.authenticate(Redacted.make(api_key))
  yield* accounts.setTier(id, "design_partner")
  return (path: string) => ask({ path, headers: { "x-api-key": api_key } })
})

/** Signs the offer of a path, and buys it. */
const signed = Effect.fnUntraced(function* (path: string, units: bigint) {
  const { ask } = yield* Shop
  const chain = yield* Chain
  const payer = yield* chain.payer(units)
  const [offer] = decoded(yield* ask(path), "payment-required")["accepts"] as Array<
    Parameters<typeof sign>[1]
  >
  if (offer === undefined) return yield* Effect.die("no offer")
  const payment = encode(payloadOf(yield* Effect.promise(() => sign(payer, offer)), offer))
  const pay = (to = path) => ask({ path: to, headers: { "payment-signature": payment } })
  return { payer, pay }
})

/** Signs the offer of a path that takes a body, and buys what other bodies ask for. */
const signedPost = Effect.fnUntraced(function* (path: string, body: object, units: bigint) {
  const { ask } = yield* Shop
  const chain = yield* Chain
  const post = (body: object, more: Readonly<Record<string, string>> = {}) =>
    ask({
      method: "POST",
      path,
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...more }
    })
  const payer = yield* chain.payer(units)
  const [offer] = decoded(yield* post(body), "payment-required")["accepts"] as Array<
    Parameters<typeof sign>[1]
  >
  if (offer === undefined) return yield* Effect.die("no offer")
  const payment = encode(payloadOf(yield* Effect.promise(() => sign(payer, offer)), offer))
  return {
    amount: offer.amount,
    payer,
    pay: (body: object) => post(body, { "payment-signature": payment })
  }
})

const problem = (reply: Reply) => json(reply) as Readonly<Record<string, unknown>>

layerNeeding("counterparties")(
  Shop.layerWith({ limited: true }).pipe(
    Layer.provide(Layer.succeed(LimitSettings, { perMinute: 300, perDay: 40 })),
    Layer.provideMerge(Chain.layer)
  ),
  { excludeTestServices: true }
)("a page", (it) => {
  it.effect("of every priced path is what the tier reads, byte for byte, for exactly its price", () =>
    Effect.gen(function* () {
      yield* seed
      const chain = yield* Chain
      const { payTo, url } = yield* Shop
      const asPartner = yield* partner
      const payer = yield* chain.payer(1_000_000n)
      const paying = payingFetch(payer)
      for (const [path, amount] of priced) {
        const before = yield* chain.balance(payTo)
        const bought = yield* attempt(() => paying(url("x").replace("/data/x", path)))
        const body = Buffer.from(yield* Effect.promise(() => bought.arrayBuffer()))
        assert.strictEqual(bought.status, 200, `${path}: ${body.toString("utf8")}`)
        assert.strictEqual((yield* chain.balance(payTo)) - before, amount, path)
        const keyed = yield* asPartner(`/v1${path}`)
        const comparable = path.includes("network=*") ? withoutTime : String
        assert.strictEqual(comparable(body.toString("utf8")), comparable(keyed.body.toString("utf8")), path)
        assert.strictEqual(bought.headers.get("content-type"), header(keyed, "content-type"), path)
        const link = header(keyed, "link").replace("/v1/", "/x402/v1/")
        assert.strictEqual(bought.headers.get("link") ?? "", link, path)

        const settlement = decodePaymentResponseHeader(bought.headers.get("PAYMENT-RESPONSE") ?? "")
        const { sale } = settlement.extensions as {
          readonly sale: { readonly info: { readonly payload_sha256: string; readonly price_paid: number } }
        }
        assert.strictEqual(sale.info.payload_sha256, sha256(body), path)
        assert.strictEqual(sale.info.price_paid, Number(amount) / 1e6, path)
      }
      assert.include(JSON.stringify(json(yield* asPartner("/v1/supply"))), "GEOD")
    })
  )

  it.effect("of a query is bought with its body, which the sale is bound to", () =>
    Effect.gen(function* () {
      yield* seed
      const chain = yield* Chain
      const body = { metrics: [metric], aggregates: ["latest", "rank"], sort: "-value" }
      const { amount, payer, pay } = yield* signedPost("/x402/v1/query", body, 40_000n)
      assert.strictEqual(amount, "20000")
      const refused = yield* pay({ metrics: [] })
      assert.deepStrictEqual([refused.status, problem(refused)["field"]], [400, "metrics"])
      const bought = yield* pay(body)
      assert.strictEqual(bought.status, 200, bought.body.toString("utf8"))
      const { rows } = json(bought) as { rows?: ReadonlyArray<{ symbol: string }> }
      assert.deepStrictEqual(
        rows?.map(({ symbol }) => symbol),
        ["GEOD", "FIL"]
      )
      assert.deepStrictEqual((yield* pay(body)).body, bought.body)
      const other = yield* pay({ metrics: [metric] })
      assert.strictEqual(problem(other)["error"], "payment_reused")
      assert.strictEqual(yield* chain.balance(payer.address), 20_000n)
    })
  )

  it.effect("of a join has the rows of every network, and costs nothing if a row is wrong", () =>
    Effect.gen(function* () {
      yield* seed
      const chain = yield* Chain
      const now = isoTime(yield* DataClock.now)
      const rowOf = (symbol: string, as_known_at = now) => ({
        symbol,
        metric,
        as_known_at
      })
      const rows = ["FIL", "GEOD"].map((symbol) => rowOf(symbol))
      const { amount, payer, pay } = yield* signedPost("/x402/v1/asof", { rows }, 40_000n)
      assert.strictEqual(amount, "20000")
      const refused = yield* pay({ rows: [...rows, rowOf("FIL", "never")] })
      assert.deepStrictEqual([refused.status, problem(refused)["field"]], [400, "rows.2.as_known_at"])
      assert.strictEqual(yield* chain.balance(payer.address), 40_000n)
      // A body that only this path takes.
      const many = { rows: Array.from({ length: 2000 }, () => rows).flat() }
      const bought = yield* pay(many)
      const answer = json(bought) as { rows?: ReadonlyArray<{ value: number }>; n_absent?: number }
      assert.deepStrictEqual(
        [bought.status, answer.n_absent, answer.rows?.length, answer.rows?.at(-1)?.value],
        [200, 0, 4000, 2]
      )
      assert.deepStrictEqual((yield* pay(many)).body, bought.body)
      assert.strictEqual(problem(yield* pay({ rows }))["error"], "payment_reused")
      assert.strictEqual(yield* chain.balance(payer.address), 20_000n)
    })
  )

  it.effect("is offered before anything is checked, and refused free of charge after the payment", () =>
    Effect.gen(function* () {
      const { ask } = yield* Shop
      const chain = yield* Chain
      for (const wrong of ["/x402/v1/market?limit=0", "/x402/v1/network/NOSUCH", "/x402/v1/supply?what=1"]) {
        const probe = yield* ask(wrong)
        assert.strictEqual(probe.status, 402, wrong)
        const { resource } = decoded(probe, "payment-required") as {
          readonly resource: { readonly url: string }
        }
        const { extensions } = json(probe) as {
          readonly extensions: Parameters<typeof validateDiscoveryExtension>[0] & { readonly bazaar: never }
        }
        assert.strictEqual(resource.url, `${baseUrl}${wrong}`)
        assert.deepStrictEqual(validateDiscoveryExtension(extensions.bazaar), { valid: true })
        assert.isBelow(header(probe, "payment-required").length, 2_000)
        const { payer, pay } = yield* signed(wrong, 20_000n)
        const before = yield* chain.balance(payer.address)
        const refused = yield* pay()
        assert.include([400, 404], refused.status, wrong)
        assert.strictEqual(header(refused, "payment-response"), "")
        assert.strictEqual(yield* chain.balance(payer.address), before, wrong)
        // What was not used can be used for what is there.
        const good = wrong.replace(/\?.*$/, "").replace("NOSUCH", "FIL")
        assert.strictEqual((yield* pay(good)).status, 200, good)
      }
      const head = yield* ask({ path: "/x402/v1/market", method: "HEAD" })
      assert.strictEqual(head.status, 402)
    })
  )

  it.effect("is given again for the same authorization and the same request alone, and kept no longer", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const sql = yield* SqlClient.SqlClient
      const { payer, pay } = yield* signed("/x402/v1/market?limit=1", 40_000n)
      const first = yield* pay()
      assert.strictEqual(first.status, 200)
      const again = yield* pay()
      assert.strictEqual(again.body.toString("utf8"), first.body.toString("utf8"))
      assert.strictEqual(header(again, "link"), header(first, "link"))
      assert.strictEqual(yield* chain.balance(payer.address), 20_000n)
      for (const other of ["/x402/v1/market", "/x402/v1/revenue"]) {
        assert.deepInclude(problem(yield* pay(other)), { status: 409, error: "payment_reused" })
      }
      const inAMonth = Date.now() + 30 * 86_400_000
      yield* removeOldBodies({ wall: Date.now(), data: Date.now() })
      assert.strictEqual((yield* pay()).status, 200)
      yield* removeOldBodies({ wall: inAMonth, data: inAMonth })
      assert.lengthOf(yield* sql`select sha256 from x402_body`, 0)
      assert.deepInclude(problem(yield* pay()), { status: 410, error: "delivery_over" })
    })
  )

  it.effect("is bought by the client of version 1 and by that of MPP", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { url } = yield* Shop
      const address = url("x").replace("/data/x", "/networks?limit=2")
      const old = yield* chain.payer(10_000n)
      const byOld = yield* attempt(() => payingFetchOld(old, chain.rpcUrl)(address))
      assert.strictEqual(byOld.status, 200, yield* Effect.promise(() => byOld.text()))
      assert.strictEqual(yield* chain.balance(old.address), 5_000n)

      const payer = yield* chain.payer(10_000n)
      const method = evm.charge({
        account: payer,
        networks: [8453],
        currencies: [usdc],
        authorization: { name: "USD Coin", version: "2" },
        decimals: 6,
        maxAmount: "1"
      })
      const byMpp = yield* attempt(() => Fetch.from({ fetch, methods: [method] })(address))
      assert.strictEqual(byMpp.status, 200, yield* Effect.promise(() => byMpp.clone().text()))
      assert.isNotNull(byMpp.headers.get("Payment-Receipt"))
      assert.strictEqual(yield* chain.balance(payer.address), 5_000n)
    })
  )

  it.effect(
    "is named by each sample, by the price list and by the 429, and is read when the reads are used up",
    () =>
      Effect.gen(function* () {
        const { ask } = yield* Shop
        const prices = json(yield* ask("/v1/credits/pricing")) as {
          readonly sections: Readonly<Record<string, { readonly price_usd: number; readonly note?: string }>>
          readonly other_prices: {
            readonly per_query_at: Readonly<Record<string, string>>
            readonly per_query_usd: Readonly<Record<string, number>>
            readonly mcp_query_usd: number
          }
        }
        assert.strictEqual(prices.other_prices.mcp_query_usd, 0.05)
        assert.include(prices.sections["depin_networks"]?.note, "0.005 USD at /x402/v1/networks")
        assert.strictEqual(prices.sections["depin_networks"]?.price_usd, 0.99)
        for (const path of ["/v1/networks", "/v1/supply", "/v1/history?network=FIL"]) {
          const { access } = json(yield* ask(path)) as { readonly access: { readonly note: string } }
          const name = path.replace(/\?.*/, "")
          const price = prices.other_prices.per_query_usd[name]
          assert.include(access.note, `${price} USD at ${prices.other_prices.per_query_at[name]}`, path)
        }
        const refused = yield* Effect.repeat(ask("/v1/networks"), { until: ({ status }) => status === 429 })
        const { message, pay_instead } = problem(refused)
        assert.deepStrictEqual(pay_instead, { path: "/x402/v1/networks", price_usd: 0.005 })
        assert.include(String(message), "0.005 USD at /x402/v1/networks")
        assert.notProperty(problem(yield* ask("/v1/symbols")), "pay_instead")
        const { pay } = yield* signed("/x402/v1/networks", 5_000n)
        assert.strictEqual((yield* pay()).status, 200)
      })
  )
})
