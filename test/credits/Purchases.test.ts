import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Ledger } from "../../core/credits/Ledger.ts"
import { usd } from "../../core/credits/Money.ts"
import type { Product } from "../../core/credits/Product.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import { pricing } from "../../core/credits/pricing.ts"
import { sha256 } from "../../core/credits/Secret.ts"
import { tiers } from "../../core/credits/tiers.ts"
import { productKeys } from "../../core/products/index.ts"
import { commitmentOf } from "../../core/proof/sales.ts"
import { ProductUnavailable } from "../../core/wire/problems/purchases.ts"
import { credits, grant, register } from "../support/credits.ts"
import { onBothEngines } from "../support/database.ts"

let builds = 0

const products: ReadonlyArray<Product> = [
  {
    key: "depin_provenance",
    build: () => Effect.sync(() => ({ z: 1, a: "é", n: ++builds, none: null }))
  },
  {
    key: "depin_history",
    build: ({ inputs: { as_known_at, network } }) =>
      Effect.succeed({ network, ...(as_known_at === undefined ? {} : { as_known_at }) })
  },
  {
    key: "market_regime",
    build: () =>
      Effect.fail(new ProductUnavailable({ product_key: "market_regime", message: "not measured today" }))
  },
  {
    key: "sector_health_index",
    build: () =>
      Effect.succeed({ rows: [{ as_of: "2026-09-01T00:00:00Z" }, { as_of: "2026-09-03T00:00:00Z" }] })
  },
  // Its payload can be built, but what must happen with the charge fails.
  { key: "dag_manifold_30d", build: () => Effect.succeed({}), grant: () => Effect.die(new Error("no")) }
]

const read = (bytes: Uint8Array) => {
  const text = new TextDecoder().decode(bytes)
  const at = text.indexOf(',"data":')
  return {
    body: JSON.parse(text) as Record<string, unknown>,
    // Cut out of the answer as sent, because a parsed and printed object would prove nothing about its bytes.
    data: text.slice(at + ',"data":'.length, -1)
  }
}

/** A service that takes nothing but credits. */
const facts = {
  coverage: new Map(),
  free: tiers.free,
  starter: usd("5"),
  ways: {
    credits: { available: true },
    card: { available: false, reason: "none" },
    stablecoin: { available: false, reason: "none" },
    x402: { available: false, reason: "none" },
    mpp: { available: false, reason: "none" }
  }
}

describe("pricing", () => {
  it("has the 22 keys of the spec, with their prices", () => {
    const { sections } = pricing({ ...facts, built: () => true })
    assert.deepStrictEqual(Object.keys(sections), [...productKeys])
    assert.strictEqual(productKeys.length, 22)
    const inputs = Object.entries(sections).map(
      ([key, { inputs = {} }]) => [key, Object.keys(inputs)] as const
    )
    assert.deepStrictEqual(
      inputs.flatMap(([key, names]) => {
        const own = names.filter((name) => name !== "as_known_at")
        return own.length === 0 ? [] : [[key, own]]
      }),
      [
        ["derivation_replay", ["run"]],
        ["depin_history", ["network", "metric", "days"]],
        ["signal_ledger", ["limit", "cursor"]]
      ]
    )
    assert.deepStrictEqual(
      inputs.flatMap(([key, names]) => (names.includes("as_known_at") ? [] : [key])),
      ["derivation_replay", "depin_enrichment", "signal_ledger", "depin_grades", "dag_manifold_30d"]
    )
    const prices = Object.values(sections).map(({ price_usd }) => price_usd)
    assert.deepStrictEqual(
      prices,
      [
        0.49, 0.99, 2.99, 2.99, 3.99, 4.99, 4.99, 4.99, 4.99, 4.99, 4.99, 4.99, 7.99, 7.99, 9.99, 9.99, 9.99,
        14.99, 14.99, 29.99, 9.99, 99
      ]
    )
    assert.deepStrictEqual(
      Object.entries(sections).flatMap(([key, { x402_usd }]) =>
        x402_usd === undefined ? [] : [[key, x402_usd]]
      ),
      [
        ["depin_provenance", 0.49],
        ["depin_networks", 0.99],
        ["depin_revenue_snapshot", 2.99],
        ["node_quality_score", 4.99],
        ["dilution_risk_map", 4.99],
        ["sector_health_index", 4.99],
        ["gpu_supply_demand", 9.99]
      ]
    )
    assert.strictEqual(sections["depin_grades"]?.status, "withdrawn")
    assert.strictEqual(
      pricing({ ...facts, built: () => false }).sections["depin_networks"]?.status,
      "not_built"
    )
  })
})

onBothEngines("purchases", (database) => {
  layer(credits(database, products))((it) => {
    it.effect("charge once, deliver inline, and give the very bytes again", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const buyer = yield* register("198.51.100.1")
        const bought = read(yield* purchases.buy(buyer, { product_key: "depin_provenance" }))
        assert.deepInclude(bought.body, {
          status: "purchased",
          price_paid: 0.49,
          remaining_balance: 4.51,
          delivery: "inline",
          product_key: "depin_provenance",
          checkpoint: null
        })
        assert.strictEqual(bought.body["payload_sha256"], sha256(bought.data))
        assert.match(bought.data, /^\{"a":"é","n":\d+,"none":null,"z":1\}$/)
        assert.strictEqual((yield* buyer.current).balance, 4_510_000n)

        const id = String(bought.body["purchase_id"])
        const again = read(yield* purchases.receipt(buyer, id, "data"))
        assert.strictEqual(again.data, bought.data)
        const receipt = JSON.parse(new TextDecoder().decode(yield* purchases.receipt(buyer, id, undefined)))
        assert.deepStrictEqual(Object.keys(receipt), [
          "purchase_id",
          "product_key",
          "price",
          "payload_sha256",
          "purchased_at",
          "checkpoint",
          "commitment"
        ])
        const { commitment, ...listed } = receipt
        assert.deepStrictEqual((yield* purchases.list(buyer)).purchases, [listed])
        assert.deepStrictEqual(commitment, bought.body["commitment"])
        assert.strictEqual(commitment.sha256, commitmentOf(commitment.salt, sha256(bought.data)))
        assert.strictEqual((yield* buyer.current).balance, 4_510_000n)
      })
    )

    it.effect("charge nothing for data that is older than the buyer accepts", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const buyer = yield* register("198.51.100.9")
        const buy = (product_key: string, min_as_of: string) =>
          purchases.buy(buyer, { product_key, inputs: { min_as_of } })
        const old = yield* Effect.flip(buy("sector_health_index", "2026-09-01T00:00:01Z"))
        assert.deepInclude(old, {
          _tag: "DataTooOld",
          oldest_as_of: "2026-09-01T00:00:00Z",
          newest_as_of: "2026-09-03T00:00:00Z"
        })
        const ageless = yield* Effect.flip(buy("depin_provenance", "2026-09-01T00:00:00Z"))
        assert.strictEqual(ageless._tag, "DataTooOld")
        const unread = yield* Effect.flip(buy("sector_health_index", "2026-09-01"))
        assert.deepInclude(unread, { _tag: "BadParameter", field: "min_as_of" })
        assert.strictEqual((yield* buyer.current).balance, 5_000_000n)
        yield* buy("sector_health_index", "2026-09-01T00:00:00Z")
        assert.strictEqual((yield* buyer.current).balance, 10_000n)
      })
    )

    it.effect("of an earlier time cost the same, and are refused without a charge where there is none", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const registered = yield* register("198.51.100.19")
        yield* grant(registered.id, 10_000_000n, "earlier times")
        const buyer = yield* registered.current
        const before = buyer.balance
        const as_known_at = "2026-09-01T00:00:00Z"
        const refused = yield* Effect.flip(
          purchases.buy(buyer, { product_key: "dag_manifold_30d", as_known_at })
        )
        assert.deepInclude(refused, { _tag: "BadParameter", field: "as_known_at" })
        const dryRun = yield* purchases.dryRun(buyer, {
          product_key: "depin_history",
          network: "FIL",
          as_known_at
        })
        assert.deepInclude(dryRun, { would_be_bought: true, price: 7.99 })
        assert.strictEqual((yield* registered.current).balance, before)
        for (const request of [{ as_known_at }, { inputs: { as_known_at } }]) {
          const { data } = read(
            yield* purchases.buy(
              buyer,
              { product_key: "depin_history", network: "FIL", ...request },
              "same-key"
            )
          )
          assert.deepInclude(JSON.parse(data), { as_known_at })
        }
        assert.strictEqual((yield* registered.current).balance, before - 7_990_000n)
      })
    )

    it.effect("belong to their key: any other id is unknown, whatever it looks like", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const buyer = yield* register("198.51.100.2")
        const other = yield* register("198.51.100.2")
        const { body } = read(yield* purchases.buy(buyer, { product_key: "depin_provenance" }))
        const refusals = yield* Effect.forEach(
          [String(body["purchase_id"]), `pur_${"0".repeat(32)}`, "", "\u0000", "pur_\uD800", "' or 1=1 --"],
          (id) => Effect.flip(purchases.receipt(other, id, "data"))
        )
        assert.deepStrictEqual(
          [...new Set(refusals.map(({ _tag, message }) => `${_tag} ${message}`))].length,
          1
        )
        assert.deepStrictEqual(yield* purchases.list(other), { purchases: [] })
      })
    )

    it.effect("at exactly the price leave nothing; below it they are refused with the shortfall", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const buyer = yield* register("198.51.100.3")
        yield* grant(buyer.id, 2_990_000n, "exact")
        const rich = yield* buyer.current
        assert.strictEqual(
          read(yield* purchases.buy(rich, { product_key: "depin_history", network: "FIL" })).body[
            "remaining_balance"
          ],
          0
        )
        const refused = yield* Effect.flip(
          purchases.buy(yield* buyer.current, { product_key: "depin_provenance" })
        )
        assert.deepInclude(refused, {
          _tag: "CreditsShort",
          price: 0.49,
          credits_balance: 0,
          shortfall: 0.49
        })
        // A stale balance in hand (another request spent it meanwhile) is found out under the lock.
        const raced = yield* Effect.flip(purchases.buy(rich, { product_key: "depin_provenance" }))
        assert.strictEqual(raced._tag, "CreditsShort")
      })
    )

    it.effect("are refused while money is owed, and the shortfall says how much settles it", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const buyer = yield* register("198.51.100.4")
        yield* (yield* Ledger).clawback(buyer.id, 20_000_000n, "card", {
          cause: "card_refund",
          reference: "re_1",
          key: "card_refund:re_1"
        })
        const refused = yield* Effect.flip(
          purchases.buy(yield* buyer.current, { product_key: "depin_provenance" })
        )
        assert.deepInclude(refused, { _tag: "CreditsShort", owed: 15, shortfall: 15.49 })
      })
    )

    it.effect("charge nothing for what cannot be had", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const sql = yield* SqlClient.SqlClient
        const buyer = yield* register("198.51.100.5")
        yield* grant(buyer.id, 200_000_000n, "rich")
        const rich = yield* buyer.current
        const buy = (request: Record<string, unknown>) => Effect.flip(purchases.buy(rich, request))
        const tags = yield* Effect.forEach(
          [
            { product_key: "depin_grades" },
            { product_key: "depin_networks" },
            { product_key: "market_regime" },
            { product_key: "__proto__" },
            { product_key: "constructor" },
            { product_key: 5 },
            {},
            { product_key: "depin_provenance", price: 0 },
            { product_key: "depin_provenance", x: Number("1e309") },
            { product_key: "depin_provenance", inputs: { network: "FIL" } },
            { product_key: "depin_history", inputs: ["FIL"] },
            { product_key: "depin_history", network: "\uD800" }
          ],
          (request) => Effect.map(buy(request), ({ _tag }) => _tag)
        )
        assert.deepStrictEqual(tags, [
          "ProductWithdrawn",
          "ProductUnavailable",
          "ProductUnavailable",
          "BadParameter",
          "BadParameter",
          "BadParameter",
          "BadParameter",
          "BadParameter",
          "BadParameter",
          "BadParameter",
          "BadParameter",
          "BadParameter"
        ])
        assert.deepInclude(yield* buy({ product_key: "depin" }), { valid_values: [...productKeys] })
        yield* Effect.exit(purchases.buy(rich, { product_key: "dag_manifold_30d" }))
        assert.strictEqual((yield* buyer.current).balance, 205_000_000n)
        assert.deepStrictEqual(yield* sql`select id from purchase where account = ${buyer.id}`, [])
      })
    )

    it.effect("take inputs in `inputs` and beside it, null as absent, and no two values of one", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const buyer = yield* register("198.51.100.9")
        yield* grant(buyer.id, 100_000_000n, "inputs")
        const rich = yield* buyer.current
        const product_key = "depin_history"
        const same = [
          { product_key, network: "FIL" },
          { product_key, inputs: { network: "FIL" } },
          { product_key, inputs: { network: "FIL", metric: null }, network: "FIL", days: null },
          { product_key, inputs: null, network: "FIL" }
        ]
        const answers = yield* Effect.forEach(same, (request) =>
          Effect.map(purchases.buy(rich, request, "inputs"), (bytes) => read(bytes))
        )
        assert.deepStrictEqual(new Set(answers.map(({ data }) => data)), new Set(['{"network":"FIL"}']))
        assert.strictEqual(new Set(answers.map(({ body }) => body["purchase_id"])).size, 1)
        const torn = { product_key, network: "FIL", inputs: { network: "GEOD" } }
        const refused = yield* Effect.flip(purchases.buy(rich, torn))
        assert.deepInclude(refused, { _tag: "BadParameter", field: "network" })
      })
    )

    it.effect("under one Idempotency-Key are one purchase, also when asked at once", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const buyer = yield* register("198.51.100.6")
        const answers = yield* Effect.forEach(
          Array.from({ length: 12 }),
          () => purchases.buy(buyer, { product_key: "depin_provenance" }, "once"),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(answers.map((bytes) => new TextDecoder().decode(bytes))).size, 1)
        assert.strictEqual((yield* buyer.current).balance, 4_510_000n)

        const other = yield* Effect.flip(
          purchases.buy(buyer, { product_key: "depin_history", network: "FIL" }, "once")
        )
        assert.strictEqual(other._tag, "IdempotencyKeyReused")
        // A key belongs to its account: another buyer's is another.
        const neighbour = yield* register("198.51.100.6")
        yield* purchases.buy(neighbour, { product_key: "depin_provenance" }, "once")
        assert.strictEqual((yield* neighbour.current).balance, 4_510_000n)
        for (const key of ["", "a b", "é", "x".repeat(256), "a\nb"]) {
          const refused = yield* Effect.flip(purchases.buy(buyer, { product_key: "depin_provenance" }, key))
          assert.deepInclude(refused, { _tag: "BadParameter", field: "Idempotency-Key" })
        }
      })
    )

    it.effect("of many buyers on one key spend what is there and not more", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const buyer = yield* register("198.51.100.7")
        const answers = yield* Effect.forEach(
          Array.from({ length: 25 }),
          () => Effect.result(purchases.buy(buyer, { product_key: "depin_provenance" })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(answers.filter(({ _tag }) => _tag === "Success").length, 10)
        assert.strictEqual((yield* buyer.current).balance, 100_000n)
        assert.isTrue((yield* (yield* Ledger).check).ok)
      })
    )

    it.effect("are listed page by page, newest first", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const buyer = yield* register("198.51.100.8")
        yield* Effect.repeat(purchases.buy(buyer, { product_key: "depin_provenance" }), { times: 4 })
        const ids: Array<string> = []
        let cursor: string | undefined
        do {
          const page: { purchases: ReadonlyArray<{ purchase_id: string }>; next_cursor?: string } =
            yield* purchases.list(buyer, { limit: 2, ...(cursor === undefined ? {} : { cursor }) })
          ids.push(...page.purchases.map(({ purchase_id }) => purchase_id))
          cursor = page.next_cursor
        } while (cursor !== undefined)
        const whole = (yield* purchases.list(buyer)).purchases.map(({ purchase_id }) => purchase_id)
        assert.strictEqual(whole.length, 5)
        assert.deepStrictEqual(ids, whole)
        for (const page of [{ limit: 0 }, { limit: 501 }, { limit: 1.5 }, { cursor: "x" }, { cursor: "é" }]) {
          assert.strictEqual((yield* Effect.flip(purchases.list(buyer, page)))._tag, "BadParameter")
        }
      })
    )
  })
})
