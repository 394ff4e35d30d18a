/** What `/metrics` says of requests, who may see it, and by which id an error and the log name the same request. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Metric, References } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { sold } from "../../core/products/build.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { latestRow, Service } from "../support/service.ts"
import { type Call, header, json } from "../support/signed.ts"

const registry = Layer.sync(Metric.MetricRegistry, () => new Map())

/** The samples of a scrape, by name and labels. */
const scrape = Effect.gen(function* () {
  const reply = yield* (yield* Service).call("/metrics")
  assert.strictEqual(reply.status, 200)
  const lines = reply.body.toString("utf8").split("\n")
  return new Map(
    lines.flatMap((line) => {
      const [, name, value] = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, Number(value)] as const]
    })
  )
})

const requests = (method: string, route: string, status: number) =>
  `plumbline_http_requests_total{method="${method}",route="${route}",status="${status}"}`

layer(Service.layer({ limited: true }).pipe(Layer.provideMerge(registry)))("metrics", (it) => {
  it.effect("count requests by template and status, and no path that a caller made up", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      yield* (yield* Current).apply([latestRow(1)])
      const before = yield* scrape
      for (let n = 0; n < 3; n++) yield* call("/v1/network/FIL")
      yield* call({ method: "HEAD", path: "/v1/network/FIL" })
      yield* call({ path: "/v1/network/FIL", headers: { "x-api-key": "made-up" } })
      yield* call("/v1/network/NOPE")
      yield* call("/v1/made-up/by/the/caller")
      yield* call({ method: "DELETE", path: "/v1/networks" })
      yield* call({ method: "PROPFIND", path: "/v1/networks" })
      const after = yield* scrape
      const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
      const of = "/v1/network/{symbol}"
      assert.strictEqual(grown(requests("GET", of, 200)), 4)
      assert.strictEqual(grown(requests("HEAD", of, 200)), 1)
      assert.strictEqual(grown(requests("GET", of, 404)), 1)
      assert.strictEqual(grown(requests("any", "refused", 404)), 1)
      assert.strictEqual(grown(requests("any", "refused", 405)), 2)
      assert.strictEqual(grown('plumbline_http_refusals_total{error="method_not_allowed"}'), 2)
      assert.strictEqual(grown(`plumbline_http_request_seconds_count{method="GET",route="${of}"}`), 6)
      assert.strictEqual(
        grown(`plumbline_http_request_seconds_bucket{method="GET",route="${of}",le="+Inf"}`),
        6
      )
      assert.isAtLeast(grown("plumbline_http_cache_hits_total"), 3)
      assert.isAtLeast(grown("plumbline_http_cache_misses_total"), 1)
      assert.isAbove(after.get("plumbline_http_cache_bytes") ?? 0, 0)
      assert.notMatch([...after.keys()].join("\n"), /made-up|NOPE|127\.0\.0\.1|PROPFIND/)
    })
  )

  it.effect(
    "are for this machine and private networks, and for nobody behind a proxy that is not named",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        assert.strictEqual(
          (yield* call({ path: "/metrics", headers: { "x-forwarded-for": "10.0.0.7" } })).status,
          404
        )
        assert.strictEqual(
          (yield* call({ path: "/metrics", headers: { forwarded: "for=10.0.0.7" } })).status,
          404
        )
        assert.strictEqual((yield* call({ method: "POST", path: "/metrics" })).status, 404)
        assert.strictEqual((yield* call({ method: "HEAD", path: "/metrics" })).status, 200)
        assert.strictEqual((yield* call("/metrics?x=1")).status, 404)
      })
  )
})

layer(Service.layer({ trustProxy: 1 }).pipe(Layer.provideMerge(registry)))("behind a proxy", (it) => {
  it.effect("the metrics are for private callers of the proxy, by their own address", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const from = (address: string): Call => ({ path: "/metrics", headers: { "x-forwarded-for": address } })
      for (const near of [
        "10.1.2.3",
        "192.168.0.9",
        "172.16.5.5",
        "127.0.0.1",
        "::1",
        "fd00::7",
        "::ffff:10.0.0.1"
      ])
        assert.strictEqual((yield* call(from(near))).status, 200, near)
      for (const far of [
        "203.0.113.9",
        "172.32.0.1",
        "2001:db8::1",
        "::ffff:8.8.8.8",
        "10.0.0.7, 203.0.113.9"
      ])
        assert.strictEqual((yield* call(from(far))).status, 404, far)
    })
  )

  it.effect("an error carries the id that the proxy gave it", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const id = "3f2a9b7c11d24e0fa1"
      for (const path of ["/v1/network/NOPE", "/v1/nothing"]) {
        const reply = yield* call({ path, headers: { "x-request-id": id } })
        assert.strictEqual(header(reply, "x-request-id"), id)
      }
      const unfit = yield* call({ path: "/v1/nothing", headers: { "x-request-id": "a b" } })
      assert.notInclude(header(unfit, "x-request-id"), " ")
    })
  )
})

const broken = sold(
  { key: "depin_networks" },
  () => Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select nothing`),
  {
    holds: () => true
  }
)

/** What was logged, with its annotations. */
const logRecords: Array<readonly [message: string, about: Readonly<Record<string, unknown>>]> = []
const logger = Logger.make(({ fiber, message }) => {
  logRecords.push([[message].flat().join(" "), fiber.getRef(References.CurrentLogAnnotations)])
})

describe("an error", () => {
  layer(
    Service.layer({ products: Effect.succeed([broken] as never) }).pipe(
      Layer.provide(Logger.layer([logger])),
      Layer.provideMerge(registry)
    )
  )((it) => {
    it.effect("has an id of its own, whether it was ready or not", () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const ids: Array<string> = []
        for (const path of [
          "/v1/nothing",
          "/v1/nothing",
          "/v1/network/NOPE",
          "/v1/network/NOPE",
          "/v1/market?x=%"
        ]) {
          const reply = yield* call({ path, headers: { "x-request-id": "of-a-stranger" } })
          assert.isAtLeast(reply.status, 400)
          const id = header(reply, "x-request-id")
          assert.match(id, /^[0-9a-f]{10}-[0-9a-z]+$/)
          ids.push(id)
        }
        assert.strictEqual(new Set(ids).size, ids.length)
        assert.strictEqual(header(yield* call("/try"), "x-request-id"), "")
      })
    )

    it.effect("of ours says its id in the body, and the log has it", () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const sql = yield* SqlClient.SqlClient
        yield* sql`alter table revision rename to revision_away`
        const reply = yield* call("/v1/revisions?limit=3")
        yield* sql`alter table revision_away rename to revision`
        assert.strictEqual(reply.status, 500)
        const id = header(reply, "x-request-id")
        assert.strictEqual(json(reply)["request_id"], id)
        const [, about] = logRecords.find(([message]) => message.startsWith("a request failed")) ?? []
        assert.deepStrictEqual({ ...about }, { request_id: id, request: "GET /v1/revisions" })
      })
    )
  })
})
