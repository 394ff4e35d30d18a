/** What is sold says before the sale what it covers today, in the price list and on the pages. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { products } from "../../core/products/builds.ts"
import { productKeys } from "../../core/products/index.ts"
import type { Pricing } from "../../core/wire/credits/pricing.ts"
import { publish } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const start = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
  yield* publish
  const { call } = yield* Service
  return {
    pricing: json(yield* call("/v1/credits/pricing")) as unknown as typeof Pricing.Type,
    page: (path: string) =>
      Effect.map(call({ path, headers: { accept: "text/html" } }), ({ body, status }) => {
        assert.strictEqual(status, 200, path)
        return body.toString("utf8")
      })
  }
})

layer(Service.layer({ products }))("before the sale", (it) => {
  it.effect("every product says what it covers, and what is missing", () =>
    Effect.gen(function* () {
      const { page, pricing } = yield* start
      assert.lengthOf(productKeys, 22)
      for (const key of productKeys) {
        const { buyers, covers, price_usd, status, ways } = pricing.sections[key] ?? assert.fail(key)
        if (status === "withdrawn") continue
        // Nobody has read that an upstream's terms allow resale.
        const isReplay = key === "derivation_replay"
        assert.strictEqual(status, isReplay ? "nothing_to_deliver" : "available", key)
        // Nothing adds credits here: what costs more than a new key holds can be bought by nobody.
        const isPaid = !isReplay && price_usd <= 5
        assert.strictEqual(ways.length > 0, isPaid, key)
        assert.strictEqual(buyers.length > 0, isPaid, key)
        if (covers === undefined) return assert.fail(`${key} does not say what it covers`)
        const says = covers.holds !== undefined || covers.series > 0 || covers.missing.length > 0
        assert.isTrue(says, key)
        assert.isAtMost(covers.networks, covers.of_networks, key)
        const body = yield* page(`/products/${key}`)
        assert.include(body, "Covers today:", key)
        for (const missing of covers.missing) assert.include(body, missing, key)
      }
      const { depin_provenance, signal_ledger } = pricing.sections
      assert.deepInclude(depin_provenance?.covers, { networks: 2, series: 2 })
      assert.strictEqual(signal_ledger?.covers?.holds, "0 of 0 signals")
      const list = yield* page("/products")
      assert.include(list, "Today: 2 of")
      const [, replay = ""] = list.split('href="/products/derivation_replay"')
      assert.include(replay.slice(0, replay.indexOf("</tr>")), '<span class="mark off">not now</span>')
    })
  )

  it.effect("a product that cannot be delivered now is not offered on its page", () =>
    Effect.gen(function* () {
      const { page } = yield* start
      const closed = yield* page("/products/derivation_replay")
      assert.include(closed, "not now")
      assert.notInclude(closed, "Buy for $")
      assert.include(yield* page("/products/depin_networks"), "Buy for $0.99")
    })
  )

  it.effect("tiers, exports and the archive say what they read", () =>
    Effect.gen(function* () {
      const { page, pricing } = yield* start
      const { covers } = pricing
      assert.deepInclude(covers?.lists, { networks: 2, series: 2, last_day: "2026-09-05" })
      assert.strictEqual(covers?.history.first_day, "2026-08-06")
      assert.strictEqual(covers?.history.last_day, "2026-09-04")
      // Nothing is archived here, and no day is named.
      assert.deepStrictEqual(covers?.archive, { files: 0, bytes: 0 })
      const body = yield* page("/products")
      assert.match(body, /Networks with values<\/a><\/dt><dd>2<small>of [\d,]+ in the catalog/)
      assert.include(body, "none is published yet")
      assert.include(body, "Divergence detector")
      assert.include(yield* page("/account"), "2 of")
    })
  )
})
