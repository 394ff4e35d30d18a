/** What a collector of OpenTelemetry is told of a service: its spans and its log, and no key. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Queue, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { makeScrub } from "../../runtime/logging/scrub.ts"
import * as Otlp from "../../runtime/outside/otlp.ts"
import { Service } from "../support/service.ts"

interface ExportRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A collector on this machine, and what it is told. */
class Collector extends Context.Service<
  Collector,
  { readonly url: URL; readonly requests: Queue.Queue<ExportRequest> }
>()("test/Collector") {
  static readonly layer = Layer.effect(
    Collector,
    Effect.gen(function* () {
      const requests = yield* Queue.unbounded<ExportRequest>()
      const server = createServer((request, response) => {
        const parts: Array<Buffer> = []
        request.on("data", (part: Buffer) => parts.push(part))
        request.on("end", () => {
          Queue.offerUnsafe(requests, {
            path: request.url ?? "",
            headers: request.headers,
            body: Buffer.concat(parts).toString()
          })
          response.setHeader("content-type", "application/json").end("{}")
        })
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => server.close())
      )
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return { url: new URL(`http://127.0.0.1:${port}/otlp`), requests }
    })
  )
}

const observed = Layer.unwrap(
  Effect.map(Collector, ({ url }) =>
    Otlp.layer({
      endpoint: url,
      sample: 1,
      headers: { authorization: "Bearer of-the-collector" },
      scrub: makeScrub()
    })
  )
)

layer(Service.layer().pipe(Layer.provide(observed), Layer.provideMerge(Collector.layer)))(
  "a collector of OpenTelemetry",
  (it) => {
    it.effect("is told the spans of a request, and none of its secrets", () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const { requests } = yield* Collector
        yield* call({
          path: "/v1/credits/balance",
          headers: { "x-api-key": `plk_not_to_be_told_${"0".repeat(43 - 15)}` }
        })
        yield* call("/v1/key/by-session?session_id=cs_not_to_be_told")
        let traces = ""
        while (!traces.includes("by-session")) {
          yield* TestClock.adjust("10 seconds")
          const { body, path } = yield* Queue.take(requests)
          assert.match(path, /^\/otlp\/v1\/(traces|logs|metrics)$/)
          assert.notInclude(body, "not_to_be_told")
          if (path.endsWith("/traces")) traces += body
        }
        assert.include(traces, "/v1/credits/balance")
        assert.include(traces, '"plumbline"')
      })
    )

    it.effect("is told the metrics, and no caller's address or headers", () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const { requests } = yield* Collector
        yield* call({
          path: "/v1/network/NOPE",
          headers: { "user-agent": "somebody/1.0", "x-forwarded-for": "198.51.100.7" }
        })
        let metrics = ""
        let traces = ""
        while (!metrics.includes("/v1/network/{symbol}") || !traces.includes("/v1/network/NOPE")) {
          yield* TestClock.adjust("10 seconds")
          const { body, headers, path } = yield* Queue.take(requests)
          assert.strictEqual(headers["authorization"], "Bearer of-the-collector")
          if (path.endsWith("/metrics")) metrics = body
          if (path.endsWith("/traces")) traces += body
        }
        assert.include(metrics, "plumbline_http_request_seconds")
        for (const word of ["198.51.100.7", "somebody", "client.address"])
          assert.notInclude(metrics + traces, word)
      })
    )
  }
)

/** The spans that a collector gets of some traces, where `random` picks them. */
const spansOf = (sample: number, random: () => number) =>
  Effect.gen(function* () {
    const { requests, url } = yield* Collector
    const otlp = Otlp.layer({ endpoint: url, sample, scrub: makeScrub(), random })
    const stranger = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: true })
    yield* Effect.forEach(["first", "second", "third"], (name) =>
      Effect.void.pipe(
        Effect.withSpan(`inside ${name}`),
        Effect.withSpan(name, { parent: stranger, attributes: { key: `plk_${"k".repeat(43)}` } })
      )
    ).pipe(Effect.provide(otlp))
    const bodies = yield* Queue.clear(requests)
    const text = bodies.map(({ body }) => body).join("\n")
    assert.notInclude(text, "plk_k")
    return [...text.matchAll(/"name":"((?:inside )?(?:first|second|third))"/g)].map(([, name]) => name)
  }).pipe(Effect.provide(Collector.layer))

describe("traces", () => {
  it.live("are sampled as a whole, and a caller who sends traceparent has no say", () =>
    Effect.gen(function* () {
      const dice = [0.5, 0.05, 0.9]
      assert.deepStrictEqual(yield* spansOf(0.1, () => dice.shift() ?? 1), ["inside second", "second"])
      assert.deepStrictEqual(yield* spansOf(0, () => 0), [])
    })
  )
})
