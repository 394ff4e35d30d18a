/** Each tool gives what REST gives for the same question; what agents do with them; what they cannot. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Product } from "../../core/credits/Product.ts"
import { fewReasons, mostReasons } from "../../mcp/bounds.ts"
import { clean, escaped } from "../../mcp/clean.ts"
import { provenanceKey } from "../../mcp/provenance.ts"
import { listOf } from "../../mcp/server.ts"
import { callTool, publish, rpc, type ToolAnswer, together } from "../support/mcp.ts"
import { baseUrl, Service } from "../support/service.ts"
import { header, json } from "../support/signed.ts"

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

  it.effect("answer as REST does", () =>
    Effect.gen(function* () {
      const { call } = yield* published
      const key = json(
        yield* call({
          method: "POST",
          path: "/v1/credits/register",
          headers: { "content-type": "application/json" },
          body: "{}"
        })
      )["api_key"] as string
      // biome-ignore lint/suspicious/noExplicitAny: a test reads what is there
      const rest = (path: string, headers: Record<string, string> = {}): Effect.Effect<any, never, Service> =>
        Effect.map(call({ path, headers }), (reply) => {
          assert.strictEqual(reply.status, 200, path)
          return json(reply)
        })
      // biome-ignore lint/suspicious/noExplicitAny: a test reads what is there
      const tool = (name: string, args: object = {}): Effect.Effect<any, never, Service> =>
        Effect.map(callTool(name, args), ({ data, isError, text }) => {
          assert.isFalse(isError, text)
          compared.add(name)
          return data
        })
      const compared = new Set(["topup_credits"])
      assert.deepStrictEqual(yield* tool("find_networks"), fewReasons(yield* rest("/v1/networks?limit=40")))
      assert.deepStrictEqual(
        yield* tool("find_networks", { query: "filecoin", limit: 3 }),
        yield* rest("/v1/networks?query=filecoin&limit=3")
      )
      assert.deepStrictEqual(
        (yield* tool("get_network", { symbol: "FIL" })).rows,
        yield* rest("/v1/network/FIL")
      )
      const history = "/v1/history?network=FIL&metric=active_storage_providers&days=7"
      assert.deepStrictEqual(yield* tool("get_metric_history", { ...fil, days: 7 }), yield* rest(history))
      const verified = yield* tool("verify_value", { ...fil, date: "20260903" })
      const attested = yield* rest("/v1/attest?symbol=FIL&metric=active_storage_providers&date=20260903")
      assert.deepStrictEqual(verified.value, attested.value)
      assert.deepStrictEqual(verified.anchor, attested.anchor)
      assert.deepStrictEqual(yield* tool("list_products"), yield* rest("/v1/credits/pricing"))
      assert.deepStrictEqual(
        yield* tool("check_balance", { api_key: key }),
        yield* rest("/v1/credits/balance", { "x-api-key": key })
      )
      assert.deepStrictEqual((yield* tool("get_stats")).data, (yield* rest("/health")).data)
      assert.deepStrictEqual(
        (yield* tool("get_data_dictionary")).metrics,
        (yield* rest("/v1/data-dictionary")).metrics
      )
      assert.deepStrictEqual(
        (yield* tool("get_data_dictionary", { feed: "made-up" })).feeds,
        (yield* rest("/v1/data-dictionary")).feeds
      )
      const runs = yield* rest("/v1/derivation?limit=2")
      assert.deepStrictEqual(yield* tool("get_derivation_ledger", { limit: 2 }), runs)
      const [run] = runs.runs
      assert.deepStrictEqual((yield* tool("get_derivation_ledger", { run: run.id })).runs, [
        yield* rest(`/v1/derivation/${run.id}`)
      ])
      const { datasets } = yield* tool("list_datasets")
      for (const { dataset, rest: path, takes } of datasets.slice(0, 9)) {
        if (takes?.includes("from")) continue
        const { answer } = yield* tool("fetch_dataset", { dataset, limit: 5 })
        const asked = yield* rest(dataset === "world" ? path : `${path}?limit=5`)
        assert.deepStrictEqual(Array.isArray(asked) ? answer.rows : answer, fewReasons(asked), dataset)
      }
      const moments = { from: "2026-09-03T12:00:00Z", to: "2026-09-04T12:00:00Z" }
      const { answer: changed } = yield* tool("fetch_dataset", {
        dataset: "diff",
        symbol: "filecoin",
        limit: 5,
        ...moments
      })
      assert.deepStrictEqual(
        changed,
        yield* rest(`/v1/diff?network=FIL&limit=5&from=${moments.from}&to=${moments.to}`)
      )
      const saved = yield* call("/v1/network/FIL")
      const footprint = yield* tool("verify_footprint", {
        response: {
          path: "/v1/network/FIL",
          body: saved.body.toString("utf8"),
          timestamp: header(saved, "x-service-timestamp"),
          signature: header(saved, "x-service-signature")
        }
      })
      assert.isTrue(footprint.all_hold, JSON.stringify(footprint))
      assert.strictEqual(footprint.n_values, json(saved)["length"])

      // What changes something is asked for once by each, for the same.
      const named = yield* tool("register_agent", { agent_name: "one" })
      assert.deepStrictEqual(Object.keys(named), ["api_key", "credits_balance", "message"])
      const order = { product_key: "depin_networks", idempotency_key: "of-both" }
      const bought = yield* tool("purchase_data", { ...order, api_key: key })
      assert.deepStrictEqual(bought.data, { n: 1, rows: [`a${bidi}b`] })
      const again = yield* call({
        method: "POST",
        path: "/v1/credits/purchase",
        headers: { "content-type": "application/json", "x-api-key": key, "idempotency-key": "of-both" },
        body: JSON.stringify({ product_key: order.product_key })
      })
      assert.deepStrictEqual(bought, { ...json(again), page: 1, n_pages: 1 })
      const receipt = yield* rest(`/v1/credits/purchases/${bought.purchase_id}`, { "x-api-key": key })
      assert.strictEqual(bought.payload_sha256, receipt.payload_sha256)
      assert.strictEqual(bought.price_paid, receipt.price)
      for (const body of [
        { method: "stripe", amount: 7 },
        { method: "stripe", amount: 20 },
        { method: "usdc", amount: "5", from_address: `0x${"1".repeat(40)}` },
        { method: "cash", amount: 1 }
      ]) {
        const asked = yield* call({
          method: "POST",
          path: "/v1/credits/topup",
          headers: { "content-type": "application/json", "x-api-key": key },
          body: JSON.stringify(body)
        })
        const told = yield* callTool("topup_credits", { ...body, api_key: key })
        assert.strictEqual(told.isError, asked.status !== 200)
        if (told.isError) {
          assert.strictEqual(told.data.error, json(asked)["error"])
          assert.strictEqual(told.data.message, json(asked)["message"])
        } else assert.deepStrictEqual(told.data, json(asked))
      }
      assert.sameMembers(
        [...compared],
        listOf("full").tools.map(({ name }) => name)
      )
    })
  )

  it.effect("take an agent from nothing to a product that it can receive again", () =>
    Effect.gen(function* () {
      yield* published
      const ask = Effect.fnUntraced(function* (name: string, args: object = {}) {
        const { data, isError, text } = yield* callTool(name, args)
        assert.isFalse(isError, text)
        return data
      })
      const [found] = (yield* ask("find_networks", { query: "Filecoin" })).networks
      assert.strictEqual(found.symbol, "FIL")
      const history = yield* ask("get_metric_history", { symbol: found.symbol, metric: fil.metric })
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
      assert.deepEqual([bought.page, bought.n_pages, bought.next_page], [1, 2, 2])
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
      const beyond = yield* callTool("purchase_data", { purchase_id, page: 3, api_key })
      assert.deepEqual([beyond.data.field, beyond.data.valid], ["page", "a whole number from 1 to 2"])
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
      assert.strictEqual((yield* refused("get_derivation_ledger", { run: "none" })).error, "not_derived")
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
      const again = { ...order, inputs: { network: null }, purchase_id: null, page: null, days: null }
      assert.deepStrictEqual((yield* callTool("purchase_data", again)).data, bought)
      // What a product does not take is refused in both forms, and not passed over.
      for (const stray of [
        { network: "FIL" },
        { inputs: { network: "FIL" } },
        { inputs: '{"network":"FIL"}' }
      ]) {
        const { data, isError } = yield* callTool("purchase_data", { ...order, ...stray })
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
        proof: `${proof}&date=20260905&source=${source}&format=bundle`
      })
      assert.strictEqual(
        (yield* of("verify_value", { ...fil, date: "20260903" })).proof,
        `${proof}&date=20260903&source=${source}&format=bundle`
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
    assert.deepStrictEqual(clean({ [`a${hidden}`]: [`b\n${hidden}\tc`, 1, null], d: undefined }), {
      a: ["b\n\tc", 1, null]
    })
    assert.strictEqual(clean("x".repeat(2001)), `${"x".repeat(2000)} [1 more characters left out]`)
    assert.strictEqual(clean("my secret-key", { secrets: ["secret-key"] }), "my [api key]")
    assert.strictEqual(escaped(`"${bidi}\u{e0041}"`), '"\\u202e\\udb40\\udc41"')
  })

  it.effect("name what a search leaves out, and read each of it", () =>
    Effect.gen(function* () {
      yield* published
      const { data } = yield* callTool("find_networks", { query: "storage" })
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
      assert.strictEqual(Object.keys(first.not_covered).length, mostReasons)
      assert.isString(first.left_out)
      const { data: second } = yield* callTool("find_networks", { limit: 2, cursor: first.next_cursor })
      assert.notDeepEqual(first.networks, second.networks)
      const { data: page } = yield* callTool("get_metric_history", { ...fil, before: "2026-09-03" })
      assert.strictEqual(page.data.FIL[fil.metric].points.length, 1)
    })
  )
})
