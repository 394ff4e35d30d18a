/** Every view for every tier, and what a view says of a request that it cannot answer. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { tierNames, tiers } from "../../core/credits/tiers.ts"
import { type View, viewRest } from "../../core/products/definition.ts"
import { viewDefinitions } from "../../core/products/index.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { latestRow, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { json } from "../support/signed.ts"

const metric = "active_storage_providers"

/** A call of each view that it can answer. */
const calls = viewDefinitions.map(({ view }: { readonly view: View }) => ({
  capability: view.capability,
  path: viewRest(view).replace("{symbol}", "FIL") + (view.takes === "metric" ? `?metric=${metric}` : "")
}))

const read = Effect.fnUntraced(function* (path: string, headers: Record<string, string> = {}) {
  const reply = yield* ask({ path, headers })
  return { status: reply.status, body: json(reply) }
})

/** A key, and the function that gives its account a tier. */
const subscriber = Effect.fnUntraced(function* (network: string) {
  const accounts = yield* Accounts
  const { api_key } = yield* accounts.register({}, network)
  const headers = { "x-api-key": api_key }
  const { body } = yield* read("/v1/credits/balance", headers)
  const account = String(body["account"])
  return { headers, to: (tier: (typeof tierNames)[number]) => accounts.setTier(account, tier) }
})

layer(Service.layer())("a view", (it) => {
  it.effect("answers the tiers that can, and tells the others which can", () =>
    Effect.gen(function* () {
      yield* (yield* Current).apply([latestRow(1, { metric, value: 7 })])
      const { headers, to } = yield* subscriber("192.0.2.1")
      assert.isAtLeast(calls.length, 17)
      for (const { path } of calls) {
        for (const without of [{}, { "x-api-key": "plk_unknown" }]) {
          assert.strictEqual((yield* read(path, without)).status, 402, path)
        }
      }
      for (const tier of tierNames) {
        yield* to(tier)
        for (const { capability, path } of calls) {
          const { body, status } = yield* read(path, headers)
          const can = tiers[tier].can.includes(capability)
          assert.strictEqual(status, can ? 200 : 402, `${tier} ${path}`)
          if (can) {
            assert.match(String(body["generated_utc"]), /^\d{4}-/, path)
            continue
          }
          assert.strictEqual(body["error"], "tier_too_low", path)
          const able = ["Design Partner", "Institutional", "Pro", "Enterprise"].slice(
            capability === "divergence" ? 1 : 0
          )
          assert.deepInclude(body["how_to_unlock"], { capability, required_tier: able[0], tiers: able })
        }
      }
    })
  )

  it.effect("that is closed names the product of the same content", () =>
    Effect.gen(function* () {
      const { body } = yield* read("/v1/node-quality")
      const { product } = body["how_to_unlock"] as { product: object }
      // Nothing is sold per request on this service.
      assert.deepStrictEqual(product, {
        product_key: "node_quality_score",
        price_usd: 4.99,
        purchase: 'POST /v1/credits/purchase with {"product_key": "node_quality_score"}'
      })
      assert.include(String(body["message"]), "node_quality_score for 4.99 USD")
    })
  )

  it.effect("with a wrong parameter is a 400 or 404 that names it, for whom it is open", () =>
    Effect.gen(function* () {
      const { headers, to } = yield* subscriber("192.0.2.2")
      for (const path of ["/v1/compare", "/v1/compare?metric=nothing", "/v1/health-profile/FIL"]) {
        assert.strictEqual((yield* read(path, headers)).status, 402, path)
      }
      yield* to("design_partner")
      for (const query of ["", "?metric=", "?metric=nothing", "?metric=NODES_ONLINE"]) {
        const { body, status } = yield* read(`/v1/compare${query}`, headers)
        assert.deepStrictEqual([status, body["field"]], [400, "metric"], query)
      }
      const { body } = yield* read("/v1/compare?metric=nothing", headers)
      assert.deepStrictEqual(body["valid_values"], [metric])
      for (const symbol of ["FILX", "SN129", "NOPE"]) {
        const { body, status } = yield* read(`/v1/health-profile/${symbol}`, headers)
        assert.deepStrictEqual([status, body["field"]], [404, "symbol"], symbol)
      }
      for (const { path } of calls) {
        const { body, status } = yield* read(`${path}${path.includes("?") ? "&" : "?"}other=1`, headers)
        assert.deepStrictEqual([status, body["field"]], [400, "other"], path)
      }
    })
  )

  it.effect("answers as known at an earlier time, and refuses a time that is none or has not come", () =>
    Effect.gen(function* () {
      const { headers, to } = yield* subscriber("192.0.2.4")
      const now = Date.UTC(2026, 8, 5, 12)
      yield* TestClock.setTime(now)
      const at = (path: string, time: string) =>
        `${path}${path.includes("?") ? "&" : "?"}as_known_at=${encodeURIComponent(time)}`
      const earlier = "2026-09-04T12:00:00Z"
      const dated = calls.filter(({ path }) => path !== "/v1/signals")
      for (const { path } of dated) {
        assert.strictEqual((yield* read(at(path, earlier), headers)).status, 402, path)
      }
      yield* to("institutional")
      for (const { path } of dated) {
        const { body, status } = yield* read(at(path, earlier), headers)
        assert.strictEqual(status, 200, path)
        assert.deepStrictEqual([body["as_known_at"], body["generated_utc"]], [earlier, earlier], path)
        for (const wrong of ["yesterday", "2026-09-05T12:00:01Z", "2026-08-05T00:00:00Z"]) {
          const refused = yield* read(at(path, wrong), headers)
          assert.deepStrictEqual(
            [refused.status, refused.body["field"]],
            [400, "as_known_at"],
            `${path} ${wrong}`
          )
        }
      }
      // A health that was is not known, and the ledger of signals only grows.
      for (const path of ["/health", "/v1/signals"]) {
        const { body, status } = yield* read(at(path, earlier), headers)
        assert.deepStrictEqual([status, body["field"]], [400, "as_known_at"], path)
      }
    })
  )

  it.effect("says what is not measured: nothing is 0, nothing is made up", () =>
    Effect.gen(function* () {
      yield* (yield* Current).apply([], [1])
      const { headers, to } = yield* subscriber("192.0.2.3")
      yield* to("pro")
      for (const { path } of calls) {
        const { body, status } = yield* read(path, headers)
        assert.strictEqual(status, 200, path)
        for (const name of ["networks", "rows", "changes", "correlations", "assets", "devices"]) {
          assert.deepStrictEqual(body[name] ?? [], [], `${path} ${name}`)
        }
      }
      const { body } = yield* read(`/v1/compare?metric=${metric}`, headers)
      assert.deepStrictEqual([body["median"], body["missing_fields"]], [null, [metric]])
      const regime = (yield* read("/v1/market-regime", headers)).body
      assert.deepStrictEqual([regime["probabilities"], regime["stability_index"]], [null, null])
    })
  )
})
