import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Callers } from "../../core/credits/Callers.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import { higher, tierNames, tiers } from "../../core/credits/tiers.ts"
import { howToUnlock, tierTooLow } from "../../core/credits/unlock.ts"
import { viewRest } from "../../core/products/definition.ts"
import { viewDefinitions } from "../../core/products/index.ts"
import { credits, grant, register } from "../support/credits.ts"
import { onBothEngines } from "../support/database.ts"

const selling = { card: true, perRequest: true, hasAccount: false }

describe("tiers", () => {
  it("never take away what a lesser one can", () => {
    for (const [place, tier] of tierNames.entries()) {
      const before = tiers[tierNames[Math.max(0, place - 1)] ?? "free"]
      for (const capability of before.can) assert.include(tiers[tier].can, capability)
      for (const limit of ["perDay", "perMinute", "burst", "streams"] as const) {
        assert.isAtLeast(tiers[tier][limit], before[limit])
      }
      assert.strictEqual(higher(tier, "free"), tier)
      assert.strictEqual(higher("free", tier), tier)
    }
  })

  it("are the spec's", () => {
    assert.strictEqual(tiers.agent.perDay, 2000)
    assert.strictEqual(tiers.design_partner.perDay, 100_000)
    assert.strictEqual(tiers.design_partner.historyDays, 30)
    assert.deepStrictEqual(howToUnlock({ capability: "cross_network" }, selling).tiers, [
      "Design Partner",
      "Institutional",
      "Pro",
      "Enterprise"
    ])
    assert.deepStrictEqual(howToUnlock({ capability: "exports" }, selling).tiers, ["Pro", "Enterprise"])
    assert.strictEqual(howToUnlock({ capability: "engines" }, selling).required_tier, "Design Partner")
    assert.strictEqual(howToUnlock({ capability: "engines" }, selling).price, "199 USD per month")
    assert.deepInclude(howToUnlock({ capability: "divergence" }, selling), {
      tiers: ["Institutional", "Pro", "Enterprise"],
      price: "from 2,000 USD per month, or 20,000 USD per year"
    })
  })

  it("say what one answer costs without them, where it is sold by itself", () => {
    const gated = { capability: "cross_network", alone: "0.02 USD at /x402/v1/query (x402)" } as const
    const { message } = tierTooLow("free", howToUnlock(gated, selling))
    assert.match(message, /This answer alone costs 0.02 USD at \/x402\/v1\/query/)
    const here = tierTooLow("free", howToUnlock(gated, { ...selling, perRequest: false }))
    assert.notInclude(here.message, "alone")
  })

  it("say how this caller gets them on this service", () => {
    const how = (circumstances: object) =>
      howToUnlock({ capability: "engines" }, { ...selling, ...circumstances }).how
    assert.include(how({}), 'POST /buy/api/order with {"sku": "dp_partner_199"')
    // An order would make another account beside that of the key.
    assert.strictEqual(
      how({ hasAccount: true }),
      'POST /v1/credits/subscription with {"sku": "dp_partner_199"}, then pay at checkout_url'
    )
    for (const hasAccount of [true, false]) {
      assert.notInclude(how({ card: false, hasAccount }), "POST")
      assert.include(how({ card: false, hasAccount }), "operator")
    }
  })

  it("come with the product of the same content, and its address per request where that is sold", () => {
    const product = (rest: string, perRequest = true) =>
      howToUnlock({ capability: "engines", rest }, { ...selling, perRequest }).product
    const quality = product("/v1/node-quality")
    assert.deepStrictEqual(quality, {
      product_key: "node_quality_score",
      price_usd: 4.99,
      purchase: 'POST /v1/credits/purchase with {"product_key": "node_quality_score"}',
      x402: "/x402/v1/data/node_quality_score"
    })
    assert.notProperty(product("/v1/node-quality", false), "x402")
    assert.deepInclude(product("/v1/geo-concentration"), {
      product_key: "geo_concentration",
      price_usd: 4.99
    })
    assert.notProperty(product("/v1/geo-concentration"), "x402")
    assert.isUndefined(product("/v1/compare"))
    const sold = viewDefinitions.flatMap(({ view }) => product(viewRest(view))?.product_key ?? [])
    assert.sameMembers(sold, [
      "lead_lag_correlations",
      "crypto_indicators",
      "node_quality_score",
      "dilution_risk_map",
      "gpu_supply_demand",
      "sector_health_index",
      "geo_concentration",
      "dev_velocity",
      "competitive_landscape",
      "market_regime",
      "signal_ledger",
      "depin_intel_bundle"
    ])
  })
})

onBothEngines("callers", (database) => {
  layer(credits(database, [{ key: "depin_provenance", build: () => Effect.succeed({}) }]))((it) => {
    it.effect("without a known key see the sample, and are told why", () =>
      Effect.gen(function* () {
        const callers = yield* Callers
        const none = yield* callers.identify(undefined)
        const unknown = yield* callers.identify(Redacted.make("plk_unknown"))
        assert.strictEqual(none.access.breadth, "sample")
        assert.deepInclude(unknown.access, { breadth: "sample", historyDays: 30 })
        assert.include(unknown.access.note, "unknown")
        assert.notInclude(none.access.note, "unknown")
      })
    )

    it.effect("are not lifted by credits, nor by spending them; only by their tier", () =>
      Effect.gen(function* () {
        const callers = yield* Callers
        const buyer = yield* register("198.51.100.40")
        yield* grant(buyer.id, 500_000_000n, "tier")
        yield* (yield* Purchases).buy(yield* buyer.current, { product_key: "depin_provenance" })
        const refused = yield* Effect.flip(
          callers.gate(yield* callers.identify(buyer.key), { capability: "cross_network" })
        )
        assert.deepInclude(refused, { _tag: "TierTooLow", tier: "free" })
        assert.nestedPropertyVal(refused, "how_to_unlock.required_tier", "Design Partner")

        const accounts = yield* Accounts
        assert.isTrue(yield* accounts.setTier(buyer.id, "design_partner"))
        const partner = yield* callers.identify(buyer.key)
        assert.strictEqual(partner.access.breadth, "all")
        yield* callers.gate(partner, { capability: "cross_network" })
        assert.nestedPropertyVal(
          yield* Effect.flip(callers.gate(partner, { capability: "exports" })),
          "how_to_unlock.required_tier",
          "Pro"
        )
        assert.isFalse(yield* accounts.setTier("acc_none", "pro"))
      })
    )
  })
})
