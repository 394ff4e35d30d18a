import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Callers, gate } from "../../core/credits/Callers.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import { higher, howToUnlock, tierNames, tiers } from "../../core/credits/tiers.ts"
import { credits, grant, register } from "../support/credits.ts"
import { onBothEngines } from "../support/database.ts"

describe("tiers", () => {
  it("never take away what a lesser one can", () => {
    for (const [place, tier] of tierNames.entries()) {
      const before = tiers[tierNames[Math.max(0, place - 1)] ?? "free"]
      for (const capability of before.can) assert.include(tiers[tier].can, capability)
      assert.isAtLeast(tiers[tier].perDay, before.perDay)
      assert.strictEqual(higher(tier, "free"), tier)
      assert.strictEqual(higher("free", tier), tier)
    }
  })

  it("are the spec's", () => {
    assert.strictEqual(tiers.agent.perDay, 2000)
    assert.strictEqual(tiers.design_partner.perDay, 100_000)
    assert.strictEqual(tiers.design_partner.historyDays, 30)
    assert.deepStrictEqual(howToUnlock("cross_network").tiers, [
      "Design Partner",
      "Institutional",
      "Pro",
      "Enterprise"
    ])
    assert.deepStrictEqual(howToUnlock("exports").tiers, ["Pro", "Enterprise"])
    assert.strictEqual(howToUnlock("engines").required_tier, "Design Partner")
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
        assert.include(unknown.access.note, "not known")
        assert.notInclude(none.access.note, "not known")
      })
    )

    it.effect("are not lifted by credits, nor by spending them; only by their tier", () =>
      Effect.gen(function* () {
        const callers = yield* Callers
        const buyer = yield* register("198.51.100.40")
        yield* grant(buyer.id, 500_000_000n, "tier")
        yield* (yield* Purchases).buy(yield* buyer.current, { product_key: "depin_provenance" })
        const refused = yield* Effect.flip(gate(yield* callers.identify(buyer.key), "cross_network"))
        assert.deepInclude(refused, { _tag: "TierTooLow", tier: "free" })
        assert.strictEqual(refused.how_to_unlock.required_tier, "Design Partner")

        const accounts = yield* Accounts
        assert.isTrue(yield* accounts.setTier(buyer.id, "design_partner"))
        const partner = yield* callers.identify(buyer.key)
        assert.strictEqual(partner.access.breadth, "all")
        yield* gate(partner, "cross_network")
        assert.strictEqual((yield* Effect.flip(gate(partner, "exports"))).how_to_unlock.required_tier, "Pro")
        assert.isFalse(yield* accounts.setTier("acc_none", "pro"))
      })
    )
  })
})
