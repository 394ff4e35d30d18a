/** The definition as clients use it: typed client, description, documentation page, and the router all say the same. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApi, HttpApiClient, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Current } from "../../core/readings/read/Current.ts"
import { Api } from "../../http/api/Api.ts"
import { Sample } from "../../http/api/Contract.ts"
import { description } from "../../http/description/description.ts"
import { Site } from "../../http/explorer/Site.ts"
import { slug } from "../../http/pages/docs/html.ts"
import { makeRoutes } from "../../http/routing/routes.ts"
import { baseUrl, latestRow, Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const client = Effect.gen(function* () {
  const { port } = yield* Service
  return yield* HttpApiClient.make(Api, {
    transformClient: HttpClient.mapRequest(HttpClientRequest.prependUrl(`http://127.0.0.1:${port}`))
  })
}).pipe(Effect.provide(FetchHttpClient.layer))

/** Every page of the documentation, one after the other. */
const documentation = Effect.gen(function* () {
  const service = yield* Service
  const pages = ["/docs", ...description.tags.map(({ name }) => `/docs/${slug(name)}`)]
  const replies = yield* Effect.forEach(pages, (path) => service.call(path))
  return replies.map(({ body }) => body.toString("utf8")).join("\n")
})

layer(Service.layer())("a typed client", (it) => {
  it.effect("reads every keyless view", () =>
    Effect.gen(function* () {
      const current = yield* Current
      yield* current.apply([
        latestRow(1, { value: 0 }),
        latestRow(2, { metric: "price_usd", tier: "market", unit: "usd", value: 4.5 })
      ])
      const api = yield* client
      const rows = yield* api.keyless.network({ params: { symbol: "FIL" }, query: {} })
      assert.deepStrictEqual(
        rows.map(({ metric, value }) => [metric, value]),
        [
          ["active_storage_providers", 0],
          ["price_usd", 4.5]
        ]
      )
      const market = yield* api.keyless.market({ query: {} })
      assert.deepStrictEqual(
        market.map(({ market_cap_usd, price_usd, symbol }) => ({ symbol, price_usd, market_cap_usd })),
        [{ symbol: "FIL", price_usd: 4.5, market_cap_usd: null }]
      )
      const networks = yield* api.keyless.networks({ query: { limit: 3 } })
      assert.strictEqual(networks.networks.length, 3)
      const keyed = yield* api.keyless.supply({ query: { network: "FIL" } })
      assert.property(keyed.supply, "active_storage_providers")
      const history = yield* api.keyless.history({ query: { network: "FIL", days: 7 } })
      assert.strictEqual(history.window_days, 7)
      assert.strictEqual((yield* api.keyless.try()).networks.length, 1)
      assert.deepStrictEqual(yield* api.keyless.revenue({ query: {} }), [])
      assert.strictEqual((yield* api.keyless.provenance({ query: {} })).n_records, 2)
      assert.strictEqual((yield* api.keyless.world()).estate.rows_total, 0)
      assert.strictEqual((yield* api.keyless.dictionary({ query: {} })).feeds.length, 1)
      assert.deepStrictEqual((yield* api.keyless.revisions({ query: {} })).revisions, [])
      assert.strictEqual((yield* api.meta.health()).data.series, 2)
    })
  )

  it.effect("gets refusals as errors with a tag", () =>
    Effect.gen(function* () {
      const api = yield* client
      const unknown = yield* Effect.flip(api.keyless.network({ params: { symbol: "SN129" }, query: {} }))
      assert.strictEqual(unknown._tag, "UnknownSymbol")
      const bad = yield* Effect.flip(api.keyless.history({ query: { network: "FIL", days: 4000 } }))
      assert.strictEqual(bad._tag, "BadParameter")
    })
  )

  it.effect("finds the same paths in the router, the description and the page", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const described = json(yield* service.call("/openapi.json")) as unknown as {
        readonly info: { readonly version: string }
        readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
      }
      assert.strictEqual(described.info.version, "1.0.0")
      const routes = makeRoutes(Api).all.map(
        ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`
      )
      const operations = Object.entries(described.paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`)
      )
      assert.deepStrictEqual(operations.toSorted(), routes.toSorted())
      const page = yield* documentation
      const headings = [...page.matchAll(/<h2><code>([A-Z]+ [^<]+)<\/code>/g)].map((match) => match[1] ?? "")
      assert.deepStrictEqual(headings.toSorted(), routes.toSorted())
      // An answer of the stream has no end.
      for (const operation of operations.filter((each) => each !== "GET /v1/stream")) {
        const [method = "", path = ""] = operation.split(" ")
        const reply = yield* service.call({
          method,
          path: path.replace("{symbol}", "FIL").replace(/\{\w+\}/, "x")
        })
        assert.isFalse([405, 500, 501].includes(reply.status), `${operation}: ${reply.status}`)
      }
    })
  )

  it.effect("is told the limits, the routes beyond the API, and commands that work as they stand", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const page = yield* documentation
      const described = json(yield* service.call("/openapi.json")) as unknown as {
        readonly info: { readonly description: string }
        readonly paths: Readonly<Record<string, { readonly get?: { readonly security: unknown } }>>
      }
      for (const text of [page, described.info.description]) {
        assert.include(text, "300 per minute in bursts of up to 120, 1,500 per day")
        assert.include(text, "Agent: 300 per minute in bursts of up to 120, 2,000 per day")
        assert.include(text, "Design Partner: 3,000 per minute in bursts of up to 600, 100,000 per day")
        assert.match(text, /Institutional, .*: 6,000 per minute in bursts of up to 1,200, 500,000 per day/)
      }
      assert.include(page, "<code>POST /mcp</code>")
      assert.include(page, '<a href="/.well-known/mcp.json">')
      const samples = [...page.matchAll(/<pre><code>(curl [^<]*)<\/code>/g)].map((match) => match[1] ?? "")
      // The quick start has calls of its own, which say nothing of their progress.
      const sampleFor = (path: string) =>
        samples.find((sample) => sample.includes(`${baseUrl}${path}`) && !sample.startsWith("curl -s")) ?? ""
      assert.include(sampleFor("/v1/history"), `${baseUrl}/v1/history?network=FIL&#39;`)
      assert.include(sampleFor("/v1/network/"), `${baseUrl}/v1/network/FIL&#39;`)
      assert.include(
        sampleFor("/v1/attest?"),
        "symbol=FIL&amp;metric=active_storage_providers&amp;date=20260903"
      )
      assert.include(sampleFor("/v1/export"), "X-API-Key: &lt;your key&gt;")
      assert.include(sampleFor("/v1/digest"), "X-API-Key: &lt;your key&gt;")
      assert.deepStrictEqual(described.paths["/v1/digest"]?.get?.security, [{ apiKey: [] }])
      assert.deepStrictEqual(described.paths["/v1/supply"]?.get?.security, [{}, { apiKey: [] }])
      assert.deepStrictEqual(described.paths["/v1/market"]?.get?.security, [])
    })
  )
})

describe("routes", () => {
  it("keep what anyone can read, but for what is read once, flows, or must be true at this moment", () => {
    assert.deepStrictEqual(
      makeRoutes(Api, [], Site)
        .all.filter(({ cacheable, method, needsKey }) => method === "GET" && !needsKey && !cacheable)
        .map(({ path }) => path),
      [
        "/v1/recheck",
        "/v1/stream",
        "/v1/credits/crypto",
        "/v1/warranty/:wallet",
        "/v1/credits/by_session",
        "/v1/key/by-session",
        "/v1/export",
        "/x402/v1/data/:product",
        "/x402/v1/networks",
        "/x402/v1/network/:symbol",
        "/x402/v1/supply",
        "/x402/v1/market",
        "/x402/v1/revenue",
        "/x402/v1/provenance",
        "/x402/v1/history",
        "/v1/archive/iceberg",
        "/v1/archive/daily/:year/:month/:file",
        "/v1/archive/monthly/:year/:file",
        "/v1/archive/yearly/:file",
        "/readyz",
        "/paid",
        "/alerts/:id/confirm/:token",
        "/alerts/:id/end/:token",
        "/alerts/:id/never/:token",
        "/mornings/:id/confirm/:token",
        "/mornings/:id/end/:token",
        "/alerts/:id/feed/:token"
      ]
    )
  })

  const endpoint = HttpApiEndpoint.post("order", "/order/:id", {
    params: { id: Schema.String },
    payload: Schema.Struct({ sku: Schema.String }),
    success: Schema.String
  }).annotate(Sample, { sku: "a" })
  const routes = makeRoutes(HttpApi.make("made-up").add(HttpApiGroup.make("orders").add(endpoint)))

  it("know the methods of a path, and how to call it", () => {
    assert.deepStrictEqual(
      routes.at("/order/7?x=1").map(({ method }) => method),
      ["POST"]
    )
    assert.deepStrictEqual(routes.at("/order"), [])
    const hint = routes.at("/order/7")[0]?.takes().hint("https://a.test")
    assert.strictEqual(
      hint?.sample,
      `curl -X POST 'https://a.test/order/{id}' -H 'Content-Type: application/json' -d '{"sku":"a"}'`
    )
    assert.deepInclude(hint?.body, { required: ["sku"] })
  })
})
