/** What is sold where sources forbid it: no product has such a value, each says what it lacks, and none of them is sold empty. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { requireContent } from "../../core/credits/Product.ts"
import { ReadyPayload } from "../../core/credits/payload.ts"
import { products } from "../../core/products/builds.ts"
import { dilutionRisk } from "../../core/products/dilution_risk_map/build.ts"
import { type ProductKey, productOf } from "../../core/products/index.ts"
import { listing } from "../../core/readings/read/listing.ts"
import { usable } from "../../core/readings/read/rights.ts"
import { none, Permissions } from "../../core/rights/Permissions.ts"
import {
  fixtureNow,
  fixtureRows,
  fixtureServices,
  setFixtureSnapshot,
  storeBars
} from "../support/fixtureRows.ts"
import { permitted } from "../support/permissions.ts"
import { setSnapshot } from "../support/views.ts"

const order = { id: "pur_test", inputs: {} }
const unfed: ReadonlySet<ProductKey> = new Set(["depin_history", "derivation_replay", "signal_ledger"])
const forbidding = ["akash", "akash-providers", "coingecko", "defillama"]

/** Numbers anywhere in a value, those in its texts as well. */
const numbersIn = (value: unknown, into: Set<number> = new Set()): ReadonlySet<number> => {
  if (typeof value === "number") into.add(value)
  else if (typeof value === "string")
    for (const [text] of value.matchAll(/-?\d[\d,]*(?:\.\d+)?/g)) into.add(Number(text.replaceAll(",", "")))
  else if (typeof value === "object" && value !== null)
    for (const member of Object.values(value)) numbersIn(member, into)
  return into
}

/** Figures that cannot be in an answer by accident. */
const isTelling = (value: number) => String(value).replace(/[^1-9]/g, "").length >= 5

const setUp = Effect.gen(function* () {
  yield* TestClock.setTime(fixtureNow)
  yield* setFixtureSnapshot()
})

layer(fixtureServices)("a sale on the fixtures", (it) => {
  it.effect("has no value whose source does not let it be sold, and keeps its form", () =>
    Effect.gen(function* () {
      yield* setUp
      yield* storeBars
      const may = yield* usable("sell")
      const { rows } = yield* listing
      // The fixtures have a few figures twice, the price bars of exchanges those of the market among them.
      const bars = yield* (yield* SqlClient.SqlClient)<{ value: number }>`select value from observation`
      const open = new Set([
        ...rows.filter(({ row }) => may(row.source)).map(({ row }) => row.value),
        ...bars.map(({ value }) => value)
      ])
      const barred = new Set(
        rows
          .filter(({ row }) => !may(row.source) && isTelling(row.value) && !open.has(row.value))
          .map(({ row }) => row.value)
      )
      assert.isAbove(barred.size, 100)
      const sold: Array<string> = []
      for (const product of yield* products) {
        if (unfed.has(product.key)) continue
        const built = yield* Effect.result(product.build(order))
        if (built._tag === "Failure") {
          assert.strictEqual(built.failure._tag, "ProductUnavailable", product.key)
          continue
        }
        sold.push(product.key)
        const payload = built.success
        assert.isFalse(payload instanceof ReadyPayload)
        const leaked = [...numbersIn(payload)].filter((value) => barred.has(value))
        assert.deepStrictEqual(leaked, [], product.key)
        const schema = productOf(product.key).schema ?? Schema.Never
        const decoded = Schema.decodeUnknownExit(schema, { onExcessProperty: "error" })(payload)
        assert.isTrue(decoded._tag === "Success", `${product.key}: ${JSON.stringify(decoded).slice(0, 2000)}`)
      }
      // Ratios and shares say nothing of a value, so they are sold.
      assert.includeMembers(sold, ["dilution_risk_map", "competitive_landscape", "depin_provenance"])
      // Without an aggregator's fees it has what networks earn by their own chains and words.
      assert.include(sold, "depin_revenue_snapshot")
    })
  )

  it.effect("would have them without the rule", () =>
    Effect.gen(function* () {
      yield* setUp
      const product = (yield* products).find(({ key }) => key === "depin_revenue_snapshot")
      const built = yield* Effect.provideService(
        product?.build(order) ?? Effect.die("no such product"),
        Permissions,
        permitted(forbidding, ["sell"])
      )
      assert.isNotEmpty((built as { readonly networks: ReadonlyArray<unknown> }).networks)
    })
  )

  it.effect("says before any charge how many series are left out, and names each with its reason", () =>
    Effect.gen(function* () {
      yield* setUp
      const all = new Map((yield* products).map((product) => [product.key, product] as const))
      const covers = (key: ProductKey) => all.get(key)?.covers?.(order) ?? Effect.die(key)
      const revenue = yield* covers("depin_revenue_snapshot")
      assert.isAbove(revenue.withheld_by_rights ?? 0, 0)
      assert.match(revenue.missing[0] ?? "", /do not let them be sold \(.*defillama/)
      const provenance = all.get("depin_provenance")
      if (provenance === undefined) return assert.fail()
      const { left_out } = (yield* provenance.build(order)) as {
        readonly left_out: ReadonlyArray<{ readonly reason: string; readonly source: string }>
      }
      const named = left_out.filter(({ reason }) => reason === "rights")
      assert.strictEqual(named.length, (yield* covers("depin_provenance")).withheld_by_rights)
      // A service that has an aggregator's fees alone has nothing of it to deliver.
      yield* setSnapshot(...fixtureRows.filter(({ plugin }) => plugin === "defillama"))
      assert.strictEqual((yield* covers("depin_revenue_snapshot")).deliverable, false)
      const refused = yield* Effect.flip(requireContent(all.get("depin_revenue_snapshot") ?? provenance))
      assert.deepInclude(refused, { status: 503, error: "nothing_to_deliver" })
      assert.include(refused.message, "Nothing was offered or charged")
    })
  )

  it.effect("keeps what is computed and nulls what it was computed from", () =>
    Effect.gen(function* () {
      yield* setUp
      const product = (yield* products).find(({ key }) => key === "dilution_risk_map")
      const sold = (yield* product?.build(order) ?? Effect.die("no such product")) as Effect.Success<
        typeof dilutionRisk
      >
      const whole = yield* dilutionRisk
      assert.deepStrictEqual(
        sold.networks.map(({ fdv_to_market_cap, symbol }) => [symbol, fdv_to_market_cap]),
        whole.networks.map(({ fdv_to_market_cap, symbol }) => [symbol, fdv_to_market_cap])
      )
      for (const { fully_diluted_valuation_usd, market_cap_usd, missing_fields } of sold.networks) {
        assert.isNull(fully_diluted_valuation_usd)
        assert.isNull(market_cap_usd)
        assert.deepStrictEqual(missing_fields, ["fully_diluted_valuation_usd", "market_cap_usd"])
      }
    })
  )
})

describe("unknown terms", () => {
  layer(fixtureServices)("of a source", (it) => {
    it.effect("are sold, unless the operator says otherwise", () =>
      Effect.gen(function* () {
        yield* setUp
        const product = (yield* products).find(({ key }) => key === "depin_provenance")
        if (product === undefined) return assert.fail()
        const nOf = (payload: unknown) =>
          (payload as { readonly supply: ReadonlyArray<unknown> }).supply.length
        const sold = nOf(yield* product.build(order))
        const careful = yield* Effect.provideService(Effect.result(product.build(order)), Permissions, {
          ...none,
          sellUnknown: false
        })
        assert.isAbove(sold, 100)
        assert.isBelow(careful._tag === "Success" ? nOf(careful.success) : 0, sold / 2)
      })
    )
  })
})
