/** All ways in which values leave the service: none has what its source does not let be handed on, or sold, that way. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { Accounts } from "../../core/credits/Accounts.ts"
import { notHandedOn, termsOn } from "../../core/plugin/shapes/provenance.ts"
import { products } from "../../core/products/builds.ts"
import type { Viewable } from "../../core/products/definition.ts"
import { datasets } from "../../core/products/exported.ts"
import { soldPerRequest, viewDefinitions } from "../../core/products/index.ts"
import { Permissions } from "../../core/rights/Permissions.ts"
import { soldReads } from "../../core/wire/credits/reads.ts"
import type { Requirements } from "../../core/wire/credits/x402.ts"
import { grant, register } from "../support/credits.ts"
import { callTool, type PostOptions } from "../support/mcp.ts"
import { encode, payloadOf, sign } from "../support/payments.ts"
import { permitted } from "../support/permissions.ts"
import { days, figure, leaksIn, metrics, plantedFeed, played } from "../support/planted.ts"
import { manifest, Service } from "../support/service.ts"
import { makeSettler } from "../support/settler.ts"
import { header } from "../support/signed.ts"

/** A feed whose source forbids to hand on and to sell. */
const barred = plantedFeed(termsOn("2026-09-01", "Data: Barred", notHandedOn))

const bulkPaths = [
  "/v1/supply?format=csv",
  "/v1/supply?network=GEOD&format=csv",
  "/v1/network/GEOD?format=csv",
  "/v1/market?format=csv",
  "/v1/revenue?format=csv",
  "/v1/provenance?format=csv",
  "/v1/history?network=GEOD&format=csv",
  "/v1/revisions?format=csv",
  "/v1/anomalies?format=csv",
  "/networks/data.csv",
  "/compare/data.csv?a=GEOD/tvl_usd&b=FIL/tvl_usd",
  "/compare/chart.svg?a=GEOD/tvl_usd&b=FIL/tvl_usd",
  "/embed/compare?a=GEOD/tvl_usd&b=FIL/tvl_usd",
  "/compare/data.csv?a=GEOD/tvl_usd&as_known_at=2026-09-03",
  "/compare/chart.svg?a=GEOD/tvl_usd&as_known_at=2026-09-03",
  "/embed/compare?a=GEOD/tvl_usd&as_known_at=2026-09-03",
  ...metrics.flatMap((metric) => [
    `/network/GEOD/${metric}/data.csv`,
    `/network/GEOD/${metric}/chart.svg`,
    `/network/GEOD/${metric}/chart.svg?as_known_at=2026-09-03`,
    `/embed/GEOD/${metric}`,
    `/embed/GEOD/${metric}?as_known_at=2026-09-03`
  ])
]

/** Buys what an address sells per request. */
const payFor = Effect.fnUntraced(function* (path: string) {
  const { call } = yield* Service
  const offered = yield* call(path)
  assert.strictEqual(offered.status, 402, path)
  const required = JSON.parse(Buffer.from(header(offered, "payment-required"), "base64").toString("utf8"))
  const offer: Requirements = required.accepts[0]
  const validBefore = BigInt(Math.floor((yield* Clock.currentTimeMillis) / 1000) + offer.maxTimeoutSeconds)
  const payer = privateKeyToAccount(generatePrivateKey())
  const signed = yield* Effect.promise(() => sign(payer, offer, { validBefore }))
  return yield* call({ path, headers: { "PAYMENT-SIGNATURE": encode(payloadOf(signed, offer)) } })
})

/** Where a view is read, of a network or a metric that has planted figures. */
const viewPath = ({ view: { path, takes } }: Viewable): string =>
  takes === "symbol" ? `${path}/GEOD` : takes === "metric" ? `${path}?metric=tvl_usd` : path

const toolLook = Effect.fnUntraced(function* (
  look: (way: string, reply: { readonly status: number; readonly body: Buffer }) => unknown,
  name: string,
  args: { readonly dataset?: string; readonly product_key?: string; readonly idempotency_key?: string },
  options: PostOptions
) {
  const { isError, text } = yield* callTool(name, args, options)
  look(`tool ${name} ${args.dataset ?? args.product_key}`, {
    status: isError ? 503 : 200,
    body: Buffer.from(text)
  })
})

/** What a service with the feed sells and hands on, as far as it has a planted figure; by its way. */
const leaks = Effect.gen(function* () {
  yield* played
  const { call } = yield* Service
  const buyer = yield* register("198.51.100.7")
  yield* (yield* Accounts).setTier(buyer.id, "pro")
  yield* grant(buyer.id, 900_000_000n, "for every product")
  const key = Redacted.value(buyer.key)
  const json = { "content-type": "application/json", "x-api-key": key }
  const leaked = new Map<string, ReadonlyArray<number>>()
  const looked: Array<string> = []
  const look = (way: string, reply: { readonly status: number; readonly body: Buffer }) => {
    assert.include([200, 503], reply.status, `${way}: ${reply.body.toString("utf8").slice(0, 300)}`)
    if (reply.status === 200) looked.push(way)
    const figures = leaksIn(reply.body.toString("utf8"))
    if (figures.length > 0) leaked.set(way, figures)
    return reply
  }
  for (const path of bulkPaths) look(path, yield* call(path))
  look(
    "query as CSV",
    yield* call({
      path: "/v1/query?format=csv",
      method: "POST",
      headers: json,
      body: JSON.stringify({ metrics, symbols: ["GEOD"] })
    })
  )
  for (const dataset of Object.keys(datasets))
    for (const format of ["csv", "ndjson"]) {
      const reply = yield* call({
        path: `/v1/export?dataset=${dataset}&format=${format}`,
        headers: { "x-api-key": key }
      })
      if (reply.status !== 422) look(`export ${dataset} ${format}`, reply)
    }
  look("paid supply", yield* call({ path: "/v1/supply", headers: { "x-api-key": key } }))
  for (const { key: product_key } of yield* products)
    look(
      `purchase ${product_key}`,
      yield* call({
        path: "/v1/credits/purchase",
        method: "POST",
        headers: json,
        body: JSON.stringify({ product_key })
      })
    )
  for (const path of Object.keys(soldReads)) {
    if ("method" in soldReads[path as keyof typeof soldReads]) continue
    const named = path.replace("{symbol}", "GEOD")
    const query = path === "/v1/history" ? "?network=GEOD" : ""
    look(`x402 ${path}`, yield* payFor(`/x402${named}${query}`))
  }
  for (const key of soldPerRequest) {
    const way = `/x402/v1/data/${key}`
    const reply = yield* call(way)
    if (reply.status === 402) look(`x402 ${key}`, yield* payFor(way))
    else assert.strictEqual(reply.status, 503, way)
  }
  const asTool = { headers: { "x-api-key": key } }
  for (const dataset of Object.keys(datasets)) yield* toolLook(look, "fetch_dataset", { dataset }, asTool)
  for (const { key: product_key } of yield* products)
    yield* toolLook(look, "purchase_data", { product_key, idempotency_key: `mcp-${product_key}` }, asTool)
  for (const view of viewDefinitions)
    look(`view ${view.key}`, yield* call({ path: viewPath(view), headers: { "x-api-key": key } }))
  return { leaked, looked }
})

const services = Service.layer({
  products,
  manifests: [manifest, barred],
  settler: makeSettler().settler
})

layer(services)("values of a source that forbids to hand on and to sell", (it) => {
  it.effect("are in no sale, table, export, embed or picture of a series", () =>
    Effect.gen(function* () {
      const { leaked, looked } = yield* leaks
      assert.deepStrictEqual([...leaked], [])
      assert.isAbove(looked.length, 50)
      const { call } = yield* Service
      // Evidence and single values stay as they are.
      const newest = figure("tvl_usd", "GEOD", days - 1)
      for (const path of ["/v1/network/GEOD", "/v1/revenue", "/network/GEOD/tvl_usd"])
        assert.include(leaksIn((yield* call(path)).body.toString("utf8")), newest, path)
      const leaves = yield* call("/v1/log/batches/2026-09-02/leaves")
      assert.include(leaksIn(leaves.body.toString("utf8")), figure("tvl_usd", "GEOD", 1))
    })
  )

  it.effect("leave rows that say why their value is missing", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const [head = "", row = ""] = (yield* call("/v1/network/GEOD?format=csv")).body
        .toString("utf8")
        .split(/\r?\n/)
      assert.match(head, /,withheld$/)
      assert.match(row, /,rights$/)
      const embed = (yield* call("/embed/GEOD/tvl_usd")).body.toString("utf8")
      assert.include(embed, "does not let the series be published again")
      assert.include(embed, "/network/GEOD/tvl_usd")
      for (const path of ["/network/GEOD/tvl_usd/chart.svg", "/compare/chart.svg?a=GEOD/tvl_usd"])
        assert.include((yield* call(path)).body.toString("utf8"), "published again", path)
      assert.notInclude((yield* call("/network/GEOD/tvl_usd")).body.toString("utf8"), 'id="embed"')
      const page = (yield* call("/sources")).body.toString("utf8")
      assert.include(page, "Data: Barred")
      assert.include(page, "None. The terms alone decide.")
    })
  )

  it.effect("are refused by name where nothing else is sold, before any offer or charge", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const refused = yield* call("/x402/v1/data/depin_revenue_snapshot")
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(JSON.parse(refused.body.toString("utf8")).error, "nothing_to_deliver")
      const pricing = JSON.parse((yield* call("/v1/credits/pricing")).body.toString("utf8"))
      const section = pricing.sections.depin_revenue_snapshot
      assert.strictEqual(section.status, "nothing_to_deliver")
      assert.strictEqual(section.price_usd, 2.99)
      assert.isAbove(section.covers.withheld_by_rights, 0)
    })
  )
})

const allowed = Layer.succeed(Permissions, permitted(["barred"], ["bulk", "sell"]))

layer(services.pipe(Layer.provide(allowed)))("the same values with a permission", (it) => {
  it.effect("are sold and handed on, so the test above looks where they would be", () =>
    Effect.gen(function* () {
      const { leaked } = yield* leaks
      for (const way of [
        "/v1/network/GEOD?format=csv",
        "/v1/revenue?format=csv",
        "/networks/data.csv",
        "/network/GEOD/tvl_usd/data.csv",
        "query as CSV",
        "export history csv",
        "export supply ndjson",
        "paid supply",
        "purchase depin_revenue_snapshot",
        "purchase depin_provenance",
        "x402 /v1/revenue",
        "x402 depin_provenance",
        "tool fetch_dataset supply",
        "tool purchase_data depin_provenance",
        "view compare"
      ])
        assert.isTrue(leaked.has(way), way)
      for (const path of ["/network/GEOD/tvl_usd/chart.svg", "/embed/GEOD/tvl_usd"])
        assert.notInclude((yield* (yield* Service).call(path)).body.toString("utf8"), "published again", path)
      const page = (yield* (yield* Service).call("/sources")).body.toString("utf8")
      assert.include(page, "by permission: yes")
      assert.include(page, "made up by a test")
    })
  )
})
