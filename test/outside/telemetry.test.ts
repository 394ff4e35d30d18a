/** What a collector of OpenTelemetry is told of a service: its spans and its log, and no key. */
import { createServer } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { makeScrub } from "../../runtime/logging/scrub.ts"
import * as Otlp from "../../runtime/outside/otlp.ts"
import { Service } from "../support/service.ts"

interface Told {
  readonly path: string
  readonly body: string
}

/** A collector on this machine, and what it is told. */
class Collector extends Context.Service<Collector, { readonly url: URL; readonly told: Queue.Queue<Told> }>()(
  "test/Collector"
) {
  static readonly layer = Layer.effect(
    Collector,
    Effect.gen(function* () {
      const told = yield* Queue.unbounded<Told>()
      const server = createServer((request, response) => {
        const parts: Array<Buffer> = []
        request.on("data", (part: Buffer) => parts.push(part))
        request.on("end", () => {
          Queue.offerUnsafe(told, { path: request.url ?? "", body: Buffer.concat(parts).toString() })
          response.setHeader("content-type", "application/json").end("{}")
        })
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => server.close())
      )
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return { url: new URL(`http://127.0.0.1:${port}/otlp`), told }
    })
  )
}

const observed = Layer.unwrap(
  Effect.map(Collector, ({ url }) => Otlp.layer({ endpoint: url, sample: 1, scrub: makeScrub() }))
)

layer(Service.layer().pipe(Layer.provide(observed), Layer.provideMerge(Collector.layer)))(
  "a collector of OpenTelemetry",
  (it) => {
    it.effect("is told the spans of a request, and none of its secrets", () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const { told } = yield* Collector
        yield* call({
          path: "/v1/credits/balance",
          headers: { "x-api-key": `plk_not_to_be_told_${"0".repeat(43 - 15)}` }
        })
        yield* call("/v1/key/by-session?session_id=cs_not_to_be_told")
        let traces = ""
        while (!traces.includes("by-session")) {
          yield* TestClock.adjust("10 seconds")
          const { body, path } = yield* Queue.take(told)
          assert.match(path, /^\/otlp\/v1\/(traces|logs|metrics)$/)
          assert.notInclude(body, "not_to_be_told")
          if (path.endsWith("/traces")) traces += body
        }
        assert.include(traces, "/v1/credits/balance")
        assert.include(traces, '"plumbline"')
      })
    )
  }
)
