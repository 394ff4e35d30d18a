/** What an agent spends, in calls and bytes, from knowing nothing to an answer that it paid for and verified. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { products } from "../../core/products/builds.ts"
import { callTool, post, publish } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

// What a search finds is shown with its figures, so that no further call is needed for them.
const most = { calls: 6, bytes: 32_768 }

/** A clock that starts there and goes on: signing keys, the log and the data share it. */
const start = Date.UTC(2026, 8, 5, 9)
const clock = Layer.effect(
  Clock.Clock,
  Clock.clockWith((real) => {
    const ahead = start - real.currentTimeMillisUnsafe()
    const nanos = BigInt(ahead) * 1_000_000n
    return Effect.succeed({
      currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + ahead,
      currentTimeMillis: Effect.map(real.currentTimeMillis, (now) => now + ahead),
      currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe() + nanos,
      currentTimeNanos: Effect.map(real.currentTimeNanos, (now) => now + nanos),
      monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: real.monotonicTimeNanos,
      sleep: (duration) => real.sleep(duration)
    })
  })
)

interface Section {
  readonly status: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what is there
  readonly covers: any
}

layer(Service.layer({ products }).pipe(Layer.provideMerge(clock)), { excludeTestServices: true })(
  "an agent",
  (it) => {
    const published = Effect.gen(function* () {
      yield* publish
      return yield* Service
    })

    it.effect("comes from nothing to a paid and verified answer in six calls and 32 KB to read", () =>
      Effect.gen(function* () {
        yield* published
        let calls = 0
        let bytes = 0
        const ask = Effect.fnUntraced(function* (method: string, params: object) {
          calls++
          const { body } = yield* post({ jsonrpc: "2.0", id: calls, method, params })
          // biome-ignore lint/suspicious/noExplicitAny: a test reads what is there
          const result = JSON.parse(body.toString("utf8")).result as any
          // An agent reads an answer once, as text or as the structured value, which is the same.
          bytes += Buffer.byteLength(JSON.stringify({ ...result, structuredContent: undefined }))
          return result
        })
        const call = Effect.fnUntraced(function* (name: string, args: object) {
          const { content, isError } = yield* ask("tools/call", { name, arguments: args })
          assert.notStrictEqual(isError, true, content[0].text)
          return JSON.parse(content[0].text)
        })
        const { tools } = yield* ask("tools/list", {})
        const buying = tools.find(({ name }: { name: string }) => name === "purchase_data")
        assert.include(buying.inputSchema.properties.product_key.description, "depin_provenance 0.49")
        const { networks } = yield* call("find_networks", {
          query: "Filecoin",
          limit: 1
        })
        const [{ symbol }] = networks
        const { api_key } = yield* call("register_agent", {})
        const bought = yield* call("purchase_data", {
          product_key: "depin_provenance",
          max_price_usd: 1,
          page_size: 2000,
          api_key
        })
        assert.strictEqual(bought.price_paid, 0.49)
        const row = bought.data.supply.find((one: { symbol: string }) => one.symbol === symbol)
        const day = yield* call("get_metric_history", { symbol, metric: row.metric, days: 3 })
        const closed = day.data[symbol][row.metric].points.findLast((point: { open?: true }) => !point.open)
        const verified = yield* call("verify_value", { symbol, metric: row.metric, date: closed.date })
        assert.isTrue(verified.verified, JSON.stringify(verified.checks))
        assert.strictEqual(verified.value.value, closed.value)
        assert.isAtMost(calls, most.calls)
        assert.isAtMost(bytes, most.bytes, `${bytes} bytes`)
      })
    )

    it.effect("sets a budget, tries a purchase without making it, and lists what it bought", () =>
      Effect.gen(function* () {
        const { call } = yield* published
        const { api_key } = (yield* callTool("register_agent")).data
        const balance = Effect.map(callTool("check_balance", { api_key }), ({ data }) => data.credits_balance)
        const before = yield* balance
        for (const product_key of ["depin_provenance", "depin_networks"]) {
          const tried = (yield* callTool("purchase_data", { product_key, dry_run: true, api_key })).data
          assert.deepInclude(tried, { status: "dry_run", product_key, would_be_bought: true })
          assert.isAbove(tried.payload_bytes, 100)
          assert.isAbove(tried.covers.of_networks, 100)
        }
        const above = { product_key: "depin_networks", max_price_usd: 0.98, api_key }
        const refused = yield* callTool("purchase_data", above)
        assert.deepEqual(
          [refused.isError, refused.data.error, refused.data.price, refused.data.max_price_usd],
          [true, "over_budget", 0.99, 0.98]
        )
        const dryRun = (yield* callTool("purchase_data", { ...above, dry_run: true })).data
        assert.deepEqual([dryRun.would_be_bought, dryRun.refusal.error], [false, "over_budget"])
        const dear = { product_key: "depin_intel_bundle", dry_run: true, api_key }
        assert.strictEqual((yield* callTool("purchase_data", dear)).data.refusal.error, "credits_short")
        assert.isTrue((yield* callTool("purchase_data", { ...above, max_price_usd: -1 })).isError)
        assert.strictEqual(yield* balance, before)
        assert.deepStrictEqual((yield* callTool("purchase_data", { list: true, api_key })).data, {
          purchases: []
        })

        const rest = yield* call({
          method: "POST",
          path: "/v1/credits/purchase/dry-run",
          headers: { "content-type": "application/json", "x-api-key": api_key },
          body: JSON.stringify({ product_key: "depin_networks" })
        })
        assert.deepStrictEqual(
          json(rest),
          (yield* callTool("purchase_data", { product_key: "depin_networks", dry_run: true, api_key })).data
        )
        const overBudget = yield* call({
          method: "POST",
          path: "/v1/credits/purchase",
          headers: { "content-type": "application/json", "x-api-key": api_key },
          body: JSON.stringify({ product_key: "depin_networks", max_price_usd: 0.5 })
        })
        assert.strictEqual(overBudget.status, 402)

        const bought = (yield* callTool("purchase_data", { ...above, max_price_usd: 0.99 })).data
        const { purchases } = (yield* callTool("purchase_data", { list: true, api_key })).data
        assert.deepEqual(
          purchases.map(({ purchase_id }: { purchase_id: string }) => purchase_id),
          [bought.purchase_id]
        )
        const listed = yield* call({ path: "/v1/credits/purchases", headers: { "x-api-key": api_key } })
        assert.deepStrictEqual(purchases, json(listed)["purchases"])
      })
    )

    it.effect("reads before it buys what each product covers today, and what is missing", () =>
      Effect.gen(function* () {
        const { call } = yield* published
        const listed = (yield* callTool("list_products")).data.sections
        const sections: Record<string, Section> = {}
        for (const product_key of Object.keys(listed))
          Object.assign(sections, (yield* callTool("list_products", { product_key })).data.sections)
        assert.deepStrictEqual(sections, json(yield* call("/v1/credits/pricing"))["sections"])
        for (const [key, { covers, status }] of Object.entries(sections)) {
          if (status !== "available") continue
          assert.isArray(covers?.missing, key)
          assert.isAtMost(covers.networks, covers.of_networks, key)
        }
        const { covers } = sections["depin_provenance"] ?? {}
        assert.deepInclude(covers, {
          networks: 2,
          series: 2,
          first_day: "2026-09-05",
          last_day: "2026-09-05"
        })
        assert.include(covers.missing[0], "networks have none of these values")
        assert.strictEqual(sections["depin_ai_intel"]?.covers.author, "rules")
        assert.deepInclude(sections["depin_history"]?.covers, {
          first_day: "2026-08-06",
          last_day: "2026-09-04"
        })
      })
    )
  }
)
