/** Values of a source that forbids to show them: in no answer, page, picture, badge or card to anybody; the proof has them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { Accounts } from "../../core/credits/Accounts.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { valueOfLeaf } from "../../core/log/record/shortAddress.ts"
import { termsOn } from "../../core/plugin/shapes/provenance.ts"
import { products } from "../../core/products/builds.ts"
import { Permissions } from "../../core/rights/Permissions.ts"
import { description } from "../../http/description/description.ts"
import { register } from "../support/credits.ts"
import { callTool } from "../support/mcp.ts"
import { permitted } from "../support/permissions.ts"
import { figure, leaksIn, metrics, plantedFeed, played } from "../support/planted.ts"
import { manifest, Service } from "../support/service.ts"

const barred = plantedFeed(
  termsOn("2026-09-01", "Data: Barred", { show: "no", bulk: "yes", sell: "yes", bodies: "no" })
)

/** What proves a value: unchanged bytes, whatever the terms say. */
const evidence = /^\/v1\/(log|attest|archive|events|stream|derivation|backtest|iceberg|observers)\b/

const inPaths: Readonly<Record<string, string>> = { symbol: "GEOD", metric: "tvl_usd", name: "storage" }

const inQuery: Readonly<Record<string, string>> = {
  network: "GEOD",
  networks: "GEOD,FIL",
  symbol: "GEOD",
  symbols: "GEOD,FIL",
  metric: "tvl_usd",
  query: "geodnet tvl",
  q: "geodnet tvl",
  from: "2026-09-01T00:00:00.000Z"
}

/** Addresses of an operation: as it stands, and with what it needs or takes of these parameters. */
const addressesOf = (path: string, operation: { readonly parameters?: ReadonlyArray<unknown> }) => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name) => inPaths[name] ?? whole)
  if (filled.includes("{") || evidence.test(filled)) return []
  const names = (operation.parameters ?? []).flatMap((one) => {
    const { in: place, name } = one as { readonly in?: string; readonly name?: string }
    return place === "query" && name !== undefined && name in inQuery ? [name] : []
  })
  return [
    filled,
    ...names.map((name) => `${filled}?${name}=${encodeURIComponent(inQuery[name] ?? "")}`),
    `${filled}?${names.map((name) => `${name}=${encodeURIComponent(inQuery[name] ?? "")}`).join("&")}`,
    `${filled}?format=csv`
  ]
}

const described = Object.entries(description.paths).flatMap(([path, { get }]) =>
  get === undefined ? [] : addressesOf(path, get as Parameters<typeof addressesOf>[1])
)

/** What happened to a network that has values of the source alone, in words: a number there is rounded. */
const feed = "/changes/atom.xml?symbol=GEOD&kind=values"

const pages = [
  "/",
  "/networks",
  "/measures",
  "/v1/measures/value-locked",
  ...["value-locked", "holders", "nodes-online"].flatMap((name) => [
    `/measure/${name}`,
    `/measure/${name}/data.csv`,
    `/embed/measure/${name}`
  ]),
  "/map",
  "/networks?q=geodnet",
  "/networks?show=all",
  "/networks?sort=tvl",
  "/network/GEOD",
  "/compare?a=GEOD/tvl_usd&b=FIL/tvl_usd",
  "/compare/data.csv?a=GEOD/tvl_usd&b=FIL/tvl_usd",
  "/compare/chart.svg?a=GEOD/tvl_usd&b=FIL/tvl_usd",
  "/embed/compare?a=GEOD/tvl_usd&b=FIL/tvl_usd",
  "/networks/data.csv",
  "/category/wireless",
  "/category/storage?metric=nodes_online",
  "/changes",
  feed,
  "/changes/yesterday.xml?symbol=GEOD",
  "/anomalies",
  "/brief",
  "/corrections",
  "/coverage",
  "/sources",
  "/watchlist",
  "/world",
  "/products",
  "/products/depin_revenue_snapshot",
  ...metrics.flatMap((metric) => [
    `/network/GEOD/${metric}`,
    `/network/GEOD/${metric}?days=90`,
    `/network/GEOD/${metric}/data.csv`,
    `/network/GEOD/${metric}/chart.svg`,
    `/embed/GEOD/${metric}`,
    `/badge/GEOD/${metric}.svg`
  ])
]

const tools: ReadonlyArray<readonly [string, object]> = [
  ["get_network", { symbol: "GEOD" }],
  ["get_metric_history", { symbol: "GEOD", metric: "tvl_usd" }],
  ["find_networks", { query: "geodnet" }],
  ["fetch_dataset", { dataset: "revenue" }],
  ["fetch_dataset", { dataset: "supply" }],
  ["query", { symbols: "GEOD", metrics: "tvl_usd" }]
]

/** What of the service has a planted figure, by its way, and in how many ways it answered. */
const leaks = Effect.gen(function* () {
  yield* played
  yield* (yield* EventLog).run
  const { call } = yield* Service
  const { id, key } = yield* register("198.51.100.8")
  yield* (yield* Accounts).setTier(id, "pro")
  const leaked = new Map<string, ReadonlyArray<number>>()
  let looked = 0
  const look = (way: string, text: string) => {
    looked += 1
    const figures = leaksIn(text)
    if (figures.length > 0) leaked.set(way, figures)
  }
  for (const path of new Set([...described, ...pages]))
    for (const headers of [{}, { "x-api-key": Redacted.value(key) }]) {
      const reply = yield* call({ path, headers })
      if (reply.status === 200) look(path, reply.body.toString("utf8"))
    }
  const json = { "content-type": "application/json", "x-api-key": Redacted.value(key) }
  for (const [path, body] of [
    ["/v1/query", { metrics, symbols: ["GEOD"] }],
    ["/v1/asof", { rows: [{ symbol: "GEOD", metric: "tvl_usd", as_known_at: "2026-09-03T12:00:00.000Z" }] }]
  ] as const)
    look(
      path,
      (yield* call({ path, method: "POST", headers: json, body: JSON.stringify(body) })).body.toString("utf8")
    )
  const { leaf_hash } = JSON.parse(
    (yield* call("/v1/attest?symbol=GEOD&metric=tvl_usd&date=2026-09-02")).body.toString("utf8")
  ) as { readonly leaf_hash: string }
  const { code } = Option.getOrThrow(yield* valueOfLeaf(leaf_hash))
  const receipt = yield* call(`/p/${code}`)
  if (receipt.status === 200) look("receipt", receipt.body.toString("utf8"))
  for (const [name, args] of tools) look(name, JSON.stringify(yield* callTool(name, args)))
  return { leaked, looked }
})

const services = Service.layer({ products, manifests: [manifest, barred] })

layer(services)("values of a source that forbids to show them", (it) => {
  it.effect("are in no answer and on no page", () =>
    Effect.gen(function* () {
      const { leaked, looked } = yield* leaks
      assert.deepStrictEqual([...leaked], [])
      assert.isAbove(looked, 150)
      const { call } = yield* Service
      const page = yield* call("/network/GEOD/tvl_usd")
      assert.strictEqual(page.status, 404)
      const text = page.body.toString("utf8")
      assert.include(text, "do not let its values be shown here")
      assert.include(text, "https://stats.example.net")
      assert.notInclude((yield* call(feed)).body.toString("utf8"), "New values of GEODNET")
      const leaves = yield* call("/v1/log/batches/2026-09-02/leaves")
      assert.include(leaksIn(leaves.body.toString("utf8")), figure("tvl_usd", "GEOD", 1))
    })
  )
})

layer(services.pipe(Layer.provide(Layer.succeed(Permissions, permitted(["barred"], ["show"])))))(
  "the same values with a permission",
  (it) => {
    it.effect("are shown, so the test above looks where they would be", () =>
      Effect.gen(function* () {
        const { leaked } = yield* leaks
        for (const way of [
          "/v1/network/GEOD",
          "/v1/history?network=GEOD",
          "/v1/diff?network=GEOD&metric=tvl_usd&from=2026-09-01T00%3A00%3A00.000Z",
          "/v1/compare?metric=tvl_usd",
          "/v1/health-profile/GEOD",
          "/networks",
          "/measure/value-locked",
          "/network/GEOD",
          "/network/GEOD/tvl_usd",
          "/network/GEOD/tvl_usd/data.csv",
          "/network/GEOD/holders_count/chart.svg",
          "/embed/GEOD/tvl_usd",
          "/badge/GEOD/holders_count.svg",
          "receipt",
          "/v1/query",
          "/v1/asof",
          "get_network",
          "query"
        ])
          assert.isTrue(leaked.has(way), way)
        const { body } = yield* (yield* Service).call(feed)
        assert.include(body.toString("utf8"), "New values of GEODNET")
      })
    )
  }
)
