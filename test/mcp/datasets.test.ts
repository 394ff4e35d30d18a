/** A dataset comes through MCP to whom REST gives it, in pages that together are the whole. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { tiers } from "../../core/credits/tiers.ts"
import { type View, viewName, viewRest } from "../../core/products/definition.ts"
import { viewDefinitions } from "../../core/products/index.ts"
import { AccountTier } from "../../core/wire/credits/tiers.ts"
import { pageOf } from "../../mcp/truncate.ts"
import { allPages, callTool, publish } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

interface Listed {
  readonly dataset: string
  readonly rest: string
  readonly takes?: string
  readonly fetchable: boolean
  readonly required_tier?: string
  readonly product_key?: string
}

const paramValues: Readonly<Record<string, string>> = {
  metric: "active_storage_providers",
  symbol: "FIL",
  symbols: "FIL"
}

/** What the same question is to both. */
const callFor = ({ dataset, rest, takes }: Listed) => {
  if (dataset === "diff") {
    const moment = "2026-09-04T00:00:00Z"
    return { path: `${rest}?network=FIL&from=${moment}`, args: { dataset, symbol: "FIL", from: moment } }
  }
  if (dataset === "measures")
    return { path: `${rest}/market-value`, args: { dataset, metric: "market-value" } }
  const value = takes === undefined ? "" : (paramValues[takes] ?? "")
  const path = rest.includes("{")
    ? rest.replace(/\{\w+\}/, value)
    : takes
      ? `${rest}?${takes}=${value}`
      : rest
  return { path, args: { dataset, ...(takes === undefined ? {} : { [takes]: value }) } }
}

layer(Service.layer())("datasets", (it) => {
  const start = Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
    yield* publish
    const accounts = yield* Accounts
    const { api_key } = yield* accounts.register({}, "192.0.2.9")
    const { call } = yield* Service
    const { account } = json(yield* call({ path: "/v1/credits/balance", headers: { "x-api-key": api_key } }))
    return { api_key, call, setTier: (tier: AccountTier) => accounts.setTier(String(account), tier) }
  })

  it.effect("open and close with the tier, as the REST address does", () =>
    Effect.gen(function* () {
      const { api_key, call, setTier } = yield* start
      for (const tier of AccountTier.literals) {
        yield* setTier(tier)
        const { datasets } = (yield* callTool("list_datasets", { api_key })).data
        assert.includeMembers(
          datasets.map(({ dataset }: Listed) => dataset),
          viewDefinitions.map(({ view }) => viewName(view))
        )
        for (const each of datasets as ReadonlyArray<Listed>) {
          const { args, path } = callFor(each)
          if (each.dataset === "brief") continue
          const reply = yield* call({ path, headers: { "x-api-key": api_key } })
          const { data, isError } = yield* callTool("fetch_dataset", { ...args, api_key })
          assert.strictEqual(isError, reply.status !== 200, `${tier} ${path} ${reply.status}`)
          assert.strictEqual(each.fetchable, !isError, `${tier} ${path}`)
          if (!isError) continue
          assert.strictEqual(reply.status, 402)
          assert.strictEqual(data.error, json(reply)["error"])
          assert.strictEqual(data.message, json(reply)["message"])
          assert.deepStrictEqual(data.how_to_unlock, json(reply)["how_to_unlock"])
          assert.deepStrictEqual(
            [each.required_tier, each.product_key],
            [data.how_to_unlock.required_tier, data.how_to_unlock.product?.product_key]
          )
        }
      }
    })
  )

  it.effect("give a key in the header what it gets as an argument, and one that is not known nothing", () =>
    Effect.gen(function* () {
      const { api_key, setTier } = yield* start
      yield* setTier("institutional")
      const args = { dataset: "sector-health" }
      const headers = { "x-api-key": api_key }
      const { data } = yield* callTool("fetch_dataset", args, { headers })
      assert.deepStrictEqual(data, (yield* callTool("fetch_dataset", { ...args, api_key })).data)
      const unknown = yield* callTool("fetch_dataset", { ...args, api_key: "plk_unknown_key" })
      assert.strictEqual(unknown.data.error, "tier_too_low")
      // The public edition looks at no key, and says of no way to one.
      const closed = yield* callTool("fetch_dataset", args, { headers, path: "/mcp/public" })
      assert.strictEqual(closed.data.error, "tier_too_low")
      assert.notProperty(closed.data, "how_to_unlock")
    })
  )

  it.effect("are whole when all their pages are read", () =>
    Effect.gen(function* () {
      const { api_key, call, setTier } = yield* start
      yield* setTier("enterprise")
      let longest = 0
      for (const { view } of viewDefinitions as ReadonlyArray<{ readonly view: View }>) {
        const [dataset, rest, takes] = [viewName(view), viewRest(view), view.takes]
        const { args, path } = callFor({ dataset, rest, fetchable: true, ...(takes ? { takes } : {}) })
        const whole = json(yield* call({ path, headers: { "x-api-key": api_key } }))
        const { document, pages } = yield* allPages({ ...args, api_key, limit: 7 })
        longest = Math.max(longest, pages)
        assert.deepStrictEqual(document, whole, dataset)
      }
      assert.isAbove(longest, 1)
    })
  )

  it("are cut by rows alone, and say what is left", () => {
    const whole = { rules: ["a", "b", "c"], rows: [{ n: 1 }, { n: 2 }, { n: 3 }], part: { rows: [{ m: 1 }] } }
    assert.deepStrictEqual(pageOf(whole, 2, 0), {
      answer: { ...whole, rows: [{ n: 1 }, { n: 2 }] },
      left_out: "Showing rows 1 to 2 of rows: 3.",
      next_cursor: "2"
    })
    assert.deepStrictEqual(pageOf(whole, 2, 2), {
      answer: { ...whole, rows: [{ n: 3 }], part: { rows: [] } },
      left_out: "Showing rows 3 to 4 of rows: 3."
    })
    assert.deepStrictEqual(pageOf(whole, 3, 0), { answer: whole })
  })

  it.effect("say which argument they do not take, and which they need", () =>
    Effect.gen(function* () {
      const { api_key, setTier } = yield* start
      yield* setTier("enterprise")
      const field = (args: object) =>
        Effect.map(callTool("fetch_dataset", { api_key, ...args }), ({ data, isError }) => {
          assert.isTrue(isError)
          return data.field
        })
      assert.strictEqual(yield* field({ dataset: "compare" }), "metric")
      assert.strictEqual(yield* field({ dataset: "compare", metric: "no_such" }), "metric")
      assert.strictEqual(yield* field({ dataset: "health-profile" }), "symbol")
      assert.strictEqual(yield* field({ dataset: "health-profile", symbol: "FILX" }), "symbol")
      assert.strictEqual(yield* field({ dataset: "supply", symbol: "FIL" }), "symbol")
      assert.strictEqual(yield* field({ dataset: "digest", metric: "x" }), "metric")
      assert.isTrue(tiers.enterprise.can.includes("engines"))
    })
  )
})
