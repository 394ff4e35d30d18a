/** `/metrics` has a bounded size, whatever strangers ask: no label is theirs, and what no route takes is one series. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../http/api/Api.ts"
import { Site } from "../../http/explorer/Site.ts"
import { Service } from "../support/service.ts"
import type { Call } from "../support/signed.ts"

const registry = Layer.sync(Metric.MetricRegistry, () => new Map())

// An answer of the stream has no end.
const templates = [Api, Site]
  .flatMap((api) => Object.keys(OpenApi.fromApi(api as never).paths))
  .filter((path) => path !== "/v1/stream")
/** Pairs of a path and a method that the service has, and MCP's, which is in neither description. */
const endpoints =
  [Api, Site]
    .flatMap((api) => Object.values(OpenApi.fromApi(api as never).paths))
    .flatMap((item) => Object.keys(item)).length + 3
const methods = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "LOCK",
  "MKCOL"
]
/** A well-formed key that no account has is looked up, so what it asks for passes the refusals that need no look. */
const madeUpKey = `plk_${"m".repeat(43)}`

/** Odd requests: each path and method, filled in by a seed, with each thing that gives another status. */
const oddRequests = (seed: number): ReadonlyArray<Call> =>
  templates.flatMap((template, t) =>
    methods.map((method, m): Call => {
      const n = (seed + t + m) % 6
      const path = template.replace(
        /\{\w+\}/g,
        () => ["FIL", `made-up-${seed}-${t}`, "..%2f", "%00", "1", "é"][n] ?? ""
      )
      return {
        method,
        path: `${encodeURI(path).replaceAll("%25", "%")}${["", "?x=1", "?limit=-1", "?a[]=%", "", "?days=9e9"][n]}`,
        headers: {
          ...(n % 2 === 0 ? { "x-api-key": madeUpKey } : {}),
          ...(n === 1 ? { "content-encoding": "br" } : {}),
          ...(n === 2 ? { accept: "text/made-up" } : {}),
          ...(n === 3 ? { "content-type": "text/made-up", "if-none-match": "*" } : {})
        },
        ...(["POST", "PUT", "PATCH"].includes(method) ? { body: n === 4 ? "{" : '{"made-up":1}' } : {})
      }
    })
  )

layer(Service.layer().pipe(Layer.provideMerge(registry)))("metrics", (it) => {
  it.effect(
    "stay small after thousands of odd requests",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const ask = (seed: number) =>
          Effect.forEach(oddRequests(seed), (request) => Effect.ignore(call(request)), { concurrency: 8 })
        const scrape = Effect.map(call("/metrics"), ({ body }) => body.toString("utf8"))
        yield* ask(0)
        const text = yield* scrape
        assert.notMatch(text, /made-up|LOCK|PROPFIND|FIL/)
        assert.isBelow(text.length, 400_000)
        const series = text.match(/^plumbline_http_request_seconds_count/gm) ?? []
        assert.isAtMost(series.length, endpoints + 2)
        // Whatever is asked more gives no histogram beside those of endpoints, and what no route takes no series at all.
        yield* ask(1)
        const after = yield* scrape
        const more = after.match(/^plumbline_http_request_seconds_count/gm) ?? []
        assert.isAtMost(more.length, endpoints + 2)
        assert.isBelow(after.length, 400_000)
      }),
    120_000
  )
})
