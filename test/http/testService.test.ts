/** The live service in front of a test service that hangs or misbehaves. */
import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { modeHeader } from "../../http/HttpSettings.ts"
import { json, type Reply } from "../support/signed.ts"
import { standIn, started } from "../support/testMode.ts"

/** The most requests that the test service has at a time. */
const most = 64

/** Waits, without a clock, until it is so. */
const until = (so: () => boolean) =>
  Effect.promise(async () => {
    while (!so()) await new Promise((done) => setImmediate(done))
  })

/** How many requests below /test were answered, by status. */
const answeredOf = Effect.fnUntraced(function* (call: (path: string) => Effect.Effect<Reply>) {
  const { body } = yield* call("/metrics")
  const samples = body
    .toString("utf8")
    .matchAll(/^plumbline_http_requests_total\{method="any",route="\/test",status="(\d+)"\} (\d+)$/gm)
  return Object.fromEntries([...samples].map(([, status = "", count]) => [status, Number(count)]))
})

/** A service with metrics of its own in front of this test service. */
const inFront = (service: URL) =>
  started({ testMode: { keys: "live", service } }).pipe(
    Effect.provide(Layer.fresh(Layer.sync(Metric.MetricRegistry, () => new Map())))
  )

/** A client that asks and waits. */
const waiting = (port: number) =>
  Effect.acquireRelease(
    Effect.sync((): Socket => {
      const socket = connect(port, "127.0.0.1")
      socket.on("error", () => {})
      socket.write("GET /test/x HTTP/1.1\r\nHost: a\r\n\r\n")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("a test service that never answers", () => {
  it.live("has so many requests at a time, and what is more is refused at once", () =>
    Effect.gen(function* () {
      let arrived = 0
      const service = yield* standIn((_, response) => {
        arrived += 1
        response.on("close", () => {
          arrived -= 1
        })
      })
      const { call, port } = yield* started({ testMode: { keys: "live", service } })
      const [first] = yield* Effect.forEach(Array(most).fill(port), waiting)
      yield* until(() => arrived === most)
      const reply = yield* call("/test/x")
      assert.strictEqual(reply.status, 503)
      assert.strictEqual(json(reply)["error"], "unavailable")
      assert.strictEqual((yield* call("/v1/credits/pricing")).status, 200)
      // Who leaves makes room for another.
      first?.destroy()
      yield* until(() => arrived < most)
      yield* waiting(port)
      yield* until(() => arrived === most)
    }).pipe(Effect.scoped)
  )
})

describe("what is handed over", () => {
  it.live("is counted once, by its status", () =>
    Effect.gen(function* () {
      const service = yield* standIn((request, response) => {
        if (request.url !== "/test/other") response.setHeader(modeHeader, "test")
        response.writeHead(request.url === "/test/none" ? 404 : 200).write("{")
        if (request.url !== "/test/other") response.end("}")
      })
      const { call } = yield* inFront(service)
      assert.strictEqual((yield* call("/test/x")).status, 200)
      assert.strictEqual((yield* call("/test/none")).status, 404)
      // Of a service that is no test service; its answer breaks off, as its request does.
      const refused = yield* call("/test/other")
      assert.deepStrictEqual([refused.status, json(refused)["error"]], [503, "unavailable"])
      assert.deepStrictEqual(yield* answeredOf(call), { 200: 1, 404: 1, 503: 1 })
    }).pipe(Effect.scoped)
  )

  it.live("is no failure if the client leaves", () =>
    Effect.gen(function* () {
      const open = { requests: 0 }
      const service = yield* standIn((_, response) => {
        open.requests += 1
        response.on("close", () => {
          open.requests -= 1
        })
      })
      const { call, port } = yield* inFront(service)
      const client = yield* waiting(port)
      yield* until(() => open.requests === 1)
      client.destroy()
      yield* until(() => open.requests === 0)
      assert.deepStrictEqual(yield* answeredOf(call), { 499: 1 })
      assert.notInclude((yield* call("/metrics")).body.toString("utf8"), 'refusals_total{error="unavailable"')
    }).pipe(Effect.scoped)
  )
})
