/** What agents do with the tools, and what they cannot. `agreement.test.ts` compares each with REST. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Product } from "../../core/credits/Product.ts"
import { provenanceKey } from "../../mcp/provenance.ts"
import { escaped, sanitize } from "../../mcp/sanitize.ts"
import { mostReasons } from "../../mcp/truncate.ts"
import { callTool, publish, rpc, type ToolAnswer, together } from "../support/mcp.ts"
import { baseUrl, Service } from "../support/service.ts"

const bidi = "\u202e"

/** One that fits into an answer, one that does not, one that cannot be delivered now. */
const products: ReadonlyArray<Product> = [
  { key: "depin_networks", build: () => Effect.succeed({ rows: [`a${bidi}b`], n: 1 }) },
  {
    key: "depin_provenance",
    build: () => Effect.succeed({ rows: Array.from({ length: 9000 }, (_, n) => `row ${n} ${bidi}`) })
  }
]

const fil = { symbol: "FIL", metric: "active_storage_providers" }

layer(Service.layer({ products }))("the tools", (it) => {
  const published = Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
    yield* publish
    return yield* Service
  })

  it.effect("take an agent from nothing to a product that it can receive again", () =>
    Effect.gen(function* () {
      yield* published
      const ask = Effect.fnUntraced(function* (name: string, args: object = {}) {
        const { data, isError, text } = yield* callTool(name, args)
        assert.isFalse(isError, text)
        return data
      })
      const [network] = (yield* ask("find_networks", { query: "Filecoin" })).networks
      assert.strictEqual(network.symbol, "FIL")
      const history = yield* ask("get_metric_history", { symbol: network.symbol, metric: fil.metric })
      const points = history.data.FIL[fil.metric].points
      assert.deepStrictEqual(
        points.map(({ date }: { date: string }) => date),
        ["2026-09-02", "2026-09-03", "2026-09-05"]
      )
      const verified = yield* ask("verify_value", { ...fil, date: "20260903" })
      assert.isTrue(verified.verified)
      for (const name of ["leaf", "value", "leaf in batch", "batch in log", "checkpoint signature"]) {
        assert.include(
          verified.checks,
          verified.checks.find((check: { name: string }) => check.name === name)
        )
        assert.strictEqual(
          verified.checks.find((check: { name: string }) => check.name === name).result,
          "holds"
        )
      }
      const { api_key, credits_balance } = yield* ask("register_agent", { agent_name: "journey" })
      assert.strictEqual(credits_balance, 5)
      const { sections } = yield* ask("list_products")
      assert.strictEqual(sections.depin_provenance.status, "available")
      const order = { product_key: "depin_provenance", idempotency_key: "once", api_key }
      const bought = yield* ask("purchase_data", order)
      assert.strictEqual(bought.price_paid, 0.49)
      const again = yield* ask("purchase_data", order)
      assert.strictEqual(again.purchase_id, bought.purchase_id)
      // A page that cannot be is refused before it is charged.
      for (const [field, value] of [
        ["page", 2],
        ["page", 0],
        ["page_size", 9],
        ["page_size", 1e9]
      ] as const) {
        const lost = yield* callTool("purchase_data", { ...order, idempotency_key: "x", [field]: value })
        assert.deepEqual([lost.isError, lost.data.field], [true, field])
      }
      assert.strictEqual((yield* ask("check_balance", { api_key })).credits_balance, 4.51)

      // The payload is longer than an answer: its pages are the whole, whatever their size.
      const { purchase_id } = bought
      const rows = Array.from({ length: 9000 }, (_, n) => `row ${n} ${bidi}`)
      assert.deepEqual([bought.page, bought.n_pages, bought.next_page], [1, 6, 2])
      for (const page_size of [10_000, 50_000, 500_000]) {
        const pages: Array<unknown> = []
        for (let page = 1; page !== undefined; ) {
          const args: object = { purchase_id, page, page_size, api_key }
          const { data, text }: ToolAnswer = yield* callTool("purchase_data", args)
          assert.isAtMost(JSON.stringify(data).length, page_size + 1500)
          assert.notInclude(text, bidi)
          assert.strictEqual(data.n_pages > 1, data.left_out !== undefined)
          assert.strictEqual(data.page, page)
          pages.push(data.data)
          page = data.next_page
        }
        assert.deepStrictEqual(together(pages), { rows })
      }
      const beyond = yield* callTool("purchase_data", { purchase_id, page: 7, api_key })
      assert.deepEqual([beyond.data.field, beyond.data.valid], ["page", "a whole number from 1 to 6"])
    })
  )

  it.effect("say which of the values that someone kept hold", () =>
    Effect.gen(function* () {
      yield* published
      const at = (value: number, as_of?: string, more: object = {}) => ({
        ...fil,
        value,
        ...(as_of === undefined ? {} : { as_of }),
        ...more
      })
      const { data } = yield* callTool("verify_footprint", {
        values: [
          at(202, "2026-09-03T02:00:00Z"),
          at(201, "2026-09-03T01:00:00Z"),
          at(999, "2026-09-03T02:00:00Z"),
          at(302, "2026-09-05T02:00:00Z"),
          at(302),
          at(5),
          at(1, undefined, { symbol: "NOPE" }),
          at(102, undefined, { date: "2026-09-02" })
        ]
      })
      assert.deepStrictEqual(
        data.values.map(({ result }: { result: string }) => result),
        ["proved", "proved", "differs", "served", "served", "differs", "unknown", "proved"]
      )
      assert.isFalse(data.all_hold)
      assert.strictEqual(data.values[2].published, 202)
      const neither = yield* callTool("verify_footprint")
      assert.isTrue(neither.isError)
      const forged = yield* callTool("verify_footprint", {
        response: {
          path: "/v1/x",
          body: "[]",
          timestamp: "2026-09-05T09:00:00Z",
          signature: `ed25519:${"0".repeat(128)}`
        }
      })
      assert.isFalse(forged.data.all_hold)
    })
  )

  it.effect("refuse in words that an agent can act on", () =>
    Effect.gen(function* () {
      yield* published
      const refused = Effect.fnUntraced(function* (name: string, args: unknown) {
        const { data, isError } = yield* callTool(name, args)
        assert.isTrue(isError, `${name} ${JSON.stringify(args)}`)
        assert.isString(data.message)
        return data
      })
      const unknown = yield* refused("get_network", { symbol: "Filecion" })
      assert.deepEqual([unknown.error, unknown.did_you_mean?.[0]], ["unknown_symbol", "FIL"])
      assert.deepInclude(yield* refused("get_network", {}), {
        field: "symbol",
        message: "symbol: it is required"
      })
      const slip = yield* refused("get_network", { symbol: "FIL", metric: "active_storage_provider" })
      assert.strictEqual(slip.field, "metric")
      assert.include(slip.valid_values, "active_storage_providers")
      assert.strictEqual((yield* refused("get_data_dictionary", { feed: "nope" })).field, "feed")
      // An argument of 2.0.0, in its period of grace.
      const searched = (yield* callTool("get_data_dictionary", { query: "storage providers" })).data
      assert.strictEqual(searched.metrics[0].metric, "active_storage_providers")
      for (const [name, args] of [
        ["get_network", { symbol: "FIL" }],
        ["get_data_dictionary", {}]
      ] as const) {
        assert.strictEqual((yield* refused(name, { ...args, cursor: "the next" })).field, "cursor", name)
      }
      assert.strictEqual((yield* refused("get_network", { symbol: 7 })).field, "symbol")
      assert.include((yield* refused("get_network", { symbol: "FIL", sql: "1" })).valid_values, "symbol")
      assert.strictEqual((yield* refused("get_network", { symbol: "FIL", limit: 1e9 })).field, "limit")
      assert.strictEqual((yield* refused("get_network", { symbol: "FIL", limit: 1.5 })).field, "limit")
      assert.strictEqual((yield* refused("get_metric_history", { symbol: "FIL", days: -1 })).field, "days")
      assert.strictEqual(
        (yield* refused("get_metric_history", { symbol: "FIL", metric: "x" })).field,
        "metric"
      )
      assert.strictEqual((yield* refused("verify_value", { ...fil, date: "20260904" })).error, "not_attested")
      assert.strictEqual((yield* refused("verify_value", { ...fil, date: "2026-0903" })).field, "date")
      assert.strictEqual((yield* refused("get_metric_history", { ...fil, before: "9 May" })).field, "before")
      for (const pay of ["yes", 1, "true"]) {
        assert.strictEqual((yield* refused("get_network", { ...fil, pay })).field, "pay")
      }
      assert.isFalse((yield* callTool("get_network", { ...fil, pay: false })).isError)
      const most = yield* refused("query", { metrics: fil.metric, symbols: "FIL", limit: 501 })
      assert.include(most.message, "1 to 500")
      assert.isFalse((yield* callTool("query", { metrics: fil.metric, symbols: "FIL", limit: 500 })).isError)
      const noValues = yield* refused("verify_footprint", { values: [] })
      assert.deepEqual([noValues.field, noValues.valid], ["values", "1 to 25 values"])
      assert.strictEqual((yield* refused("fetch_dataset", { dataset: "compare" })).error, "tier_too_low")
      assert.strictEqual((yield* refused("fetch_dataset", { dataset: "__proto__" })).field, "dataset")
      assert.strictEqual((yield* refused("check_balance", {})).error, "key_unknown")
      assert.strictEqual((yield* refused("check_balance", { api_key: 1 })).field, "api_key")
      const { api_key } = (yield* callTool("register_agent")).data
      const short = yield* refused("purchase_data", { product_key: "depin_intel_bundle", api_key })
      assert.include(["product_unavailable", "credits_short"], short.error)
      assert.strictEqual((yield* refused("purchase_data", { api_key })).field, "product_key")
      assert.strictEqual(
        (yield* refused("purchase_data", { product_key: "x", api_key })).field,
        "product_key"
      )
      assert.strictEqual(
        (yield* refused("purchase_data", { purchase_id: "pur_1", api_key })).error,
        "purchase_unknown"
      )
      assert.strictEqual((yield* refused("get_derivation_ledger", { run: "\u0000" })).field, "run")
      assert.strictEqual((yield* refused("get_derivation_ledger", { run: "none" })).error, "not_found")
    })
  )

  it.effect("take what clients send in other forms", () =>
    Effect.gen(function* () {
      yield* published
      const same = Effect.fnUntraced(function* (
        name: string,
        args: object,
        ...others: ReadonlyArray<object>
      ) {
        const first = yield* callTool(name, args)
        assert.isFalse(first.isError, first.text)
        for (const other of others) assert.deepStrictEqual((yield* callTool(name, other)).data, first.data)
      })
      yield* same(
        "get_network",
        { symbol: "FIL", limit: 5 },
        { symbol: "FIL", limit: "5", metric: null, cursor: null },
        { symbol: "fil", limit: 5 },
        { symbol: "Filecoin", limit: 5 }
      )
      yield* same(
        "get_metric_history",
        { ...fil, days: 7, before: "2026-09-05" },
        { ...fil, symbol: "filecoin", days: "7", before: "20260905", source: null, api_key: null }
      )
      yield* same(
        "verify_value",
        { ...fil, date: "20260903" },
        { ...fil, date: "2026-09-03" },
        { ...fil, symbol: "Filecoin", date: 20260903 }
      )
      yield* same(
        "verify_footprint",
        { values: [{ ...fil, value: 102, date: "2026-09-02" }] },
        { values: [{ ...fil, value: "102", date: "20260902", as_of: null }], response: null },
        { values: JSON.stringify([{ ...fil, value: 102, date: 20260902 }]) }
      )
      yield* same("list_products", {}, { api_key: null })
      const { api_key } = (yield* callTool("register_agent", { agent_name: null, email: null })).data
      const order = { product_key: "depin_networks", idempotency_key: "one", api_key }
      const bought = (yield* callTool("purchase_data", order)).data
      assert.strictEqual(bought.status, "purchased")
      const again = { ...order, inputs: { network: null }, purchase_id: null, page: null, days: null }
      assert.deepStrictEqual((yield* callTool("purchase_data", again)).data, bought)
      // What a product does not take is refused in both forms, and not passed over.
      for (const stray of [
        { network: "FIL" },
        { inputs: { network: "FIL" } },
        { inputs: '{"network":"FIL"}' }
      ]) {
        const { data, isError } = yield* callTool("purchase_data", {
          ...order,
          ...stray,
          idempotency_key: "two"
        })
        assert.deepEqual([isError, data.error, data.field], [true, "bad_parameter", "network"])
      }
    })
  )

  it.effect("say in _meta where the values come from and where their proof is", () =>
    Effect.gen(function* () {
      yield* published
      const of = (name: string, args: object = {}) =>
        Effect.map(callTool(name, args), ({ meta }) => meta?.[provenanceKey])
      const proof = `${baseUrl}/v1/attest?symbol=FIL&metric=active_storage_providers`
      const { data } = yield* callTool("get_network", { symbol: "FIL" })
      const [{ as_of, source, verify_url }] = data.rows
      assert.deepStrictEqual(yield* of("get_network", { symbol: "FIL" }), {
        sources: [{ source, as_of, verify_url, n_values: 1 }],
        n_sources: 1,
        proof: `${proof}&date=20260905&source=${source}&format=bundle4`
      })
      assert.strictEqual(
        (yield* of("verify_value", { ...fil, date: "20260903" })).proof,
        `${proof}&date=20260903&source=${source}&format=bundle4`
      )
      assert.strictEqual((yield* of("get_metric_history", fil)).sources[0].verify_url, verify_url)
      assert.strictEqual((yield* of("fetch_dataset", { dataset: "supply" })).n_sources, 1)
      assert.isUndefined(yield* of("list_products"))
    })
  )

  it.effect("never say a key again, and prefer the header", () =>
    Effect.gen(function* () {
      yield* published
      const { api_key } = (yield* callTool("register_agent", { agent_name: "secretive" })).data
      const hidden = Effect.fnUntraced(function* (name: string, args: object, headers = {}) {
        const answer = JSON.stringify(yield* rpc("tools/call", { name, arguments: args }, { headers }))
        assert.notInclude(answer, api_key)
        return answer
      })
      yield* hidden("check_balance", { api_key })
      yield* hidden("get_network", { symbol: api_key })
      yield* hidden("get_network", { symbol: "FIL", [api_key]: 1 })
      yield* hidden(api_key, {})
      yield* hidden("purchase_data", { product_key: api_key, api_key })
      yield* hidden("purchase_data", { product_key: api_key }, { "x-api-key": api_key })
      assert.include(yield* hidden("check_balance", {}, { "x-api-key": api_key }), "secretive")
      assert.include(
        yield* hidden("check_balance", { api_key: "plk_other" }, { "x-api-key": api_key }),
        "secretive"
      )
    })
  )

  it("clean what came from upstreams", () => {
    const hidden = "\u202e\u200b\u0007\u{e0041}\ud800\u2028"
    assert.deepStrictEqual(sanitize({ [`a${hidden}`]: [`b\n${hidden}\tc`, 1, null], d: undefined }), {
      a: ["b\n\tc", 1, null]
    })
    assert.strictEqual(sanitize("x".repeat(2001)), `${"x".repeat(2000)} [1 more characters left out]`)
    assert.strictEqual(sanitize("my secret-key", { secrets: ["secret-key"] }), "my [api key]")
    assert.strictEqual(escaped(`"${bidi}\u{e0041}"`), '"\\u202e\\udb40\\udc41"')
  })

  it.effect("name what a search leaves out, and read each of it", () =>
    Effect.gen(function* () {
      yield* published
      // A page that nobody set a size for is short, and says how much there is.
      const { data: short } = yield* callTool("find_networks", { query: "storage" })
      assert.strictEqual(short.networks.length, 10)
      assert.include(short.left_out, "more rows by next_cursor")
      const { data } = yield* callTool("find_networks", { query: "storage", limit: 100 })
      assert.include(data.left_out, `${data.n_matching} networks match`)
      assert.strictEqual(data.networks.length + data.also_matching.length, data.n_matching)
      for (const symbol of data.also_matching.slice(0, 5)) {
        assert.isFalse((yield* callTool("get_network", { symbol })).isError, symbol)
        assert.strictEqual(
          (yield* callTool("find_networks", { query: symbol })).data.networks[0].symbol,
          symbol
        )
      }
      const wide = (yield* callTool("find_networks", { query: "e", limit: 200 })).data
      assert.strictEqual(wide.also_matching.length, 100)
      assert.include(wide.left_out, "the first 100")
      assert.include(wide.left_out, "entries of not_covered")
      assert.notProperty((yield* callTool("find_networks", { query: "no such network" })).data, "left_out")
    })
  )

  it.effect("page long lists", () =>
    Effect.gen(function* () {
      yield* published
      const { data: first } = yield* callTool("find_networks", { limit: 2 })
      // Two networks have at most two reasons: nothing is left out of them.
      assert.isBelow(Object.keys(first.not_covered).length, mostReasons)
      const { data: second } = yield* callTool("find_networks", { limit: 2, cursor: first.next_cursor })
      assert.notDeepEqual(first.networks, second.networks)
      const { data: page } = yield* callTool("get_metric_history", { ...fil, before: "2026-09-03" })
      assert.strictEqual(page.data.FIL[fil.metric].points.length, 1)
      // Every figure is of the points before the day, of which there may be none.
      const { data: paged } = yield* callTool("get_metric_history", { ...fil, before: "2026-09-04" })
      const { change, change_pct, points, ...series } = paged.data.FIL[fil.metric]
      assert.deepEqual(
        points.map(({ date }: { date: string }) => date),
        ["2026-09-02", "2026-09-03"]
      )
      assert.deepInclude(series, { n_points: 2, first_date: "2026-09-02", last_date: "2026-09-03" })
      assert.deepEqual([change.from.date, change.to.date], ["2026-09-02", "2026-09-03"])
      assert.strictEqual(series.as_of, "2026-09-03T02:00:00Z")
      assert.strictEqual(change_pct, (100 * (202 - 102)) / 102)
      const { data: nothing } = yield* callTool("get_metric_history", { ...fil, before: "2026-09-02" })
      assert.deepEqual(nothing.data, { FIL: {} })
      const { data: long } = yield* callTool("get_metric_history", {
        ...fil,
        days: 3650,
        before: "2020-01-01"
      })
      assert.deepEqual(long.data, { FIL: {} })
    })
  )
})
