/** The collector thread on the real clock: what blocks it, what it cannot load, and what it keeps off the main thread. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { BroadcastChannel } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Queue, References } from "effect"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { Collector, type Options } from "../../runtime/collector/Collector.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { largeBody } from "../../runtime/collector/thread.ts"

interface Logged {
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

const standIn = (answering: (answer: ServerResponse, path: string) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, answer) => answering(answer, request.url ?? ""))
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
      return { server, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((closed) => server.close(closed))
      })
  )

/** Starts a collector over a folder of test plugins; gives its runs and its log as queues. */
const start = Effect.fnUntraced(function* (
  folder: string,
  answering: (answer: ServerResponse, path: string) => void,
  options: Partial<Options> = {}
) {
  const root = new URL(`threads/${folder}/`, import.meta.url)
  const { url } = yield* standIn(answering)
  const runs = yield* Queue.unbounded<Delivery>()
  const logs = yield* Queue.unbounded<Logged>()
  const logger = Logger.make(({ fiber, message }) => {
    Queue.offerUnsafe(logs, {
      message: String(message),
      annotations: fiber.getRef(References.CurrentLogAnnotations)
    })
  })
  const context = yield* Layer.build(
    Collector.layer({
      folder: root,
      deliver: (delivery) => Effect.sync(() => Queue.offerUnsafe(runs, delivery)),
      map: new Map([["api.sample.test", url]]),
      backoff: { spread: 0 },
      limits: { perSecond: 1000 },
      ...options
    }).pipe(Layer.provide(Logger.layer([logger])))
  )
  const { manifests, own, states } = Context.get(context, Collector)
  yield* own((yield* Plugins.names(root)).map((plugin) => ({ plugin })))
  const logged = (message: string): Effect.Effect<Logged> =>
    Effect.flatMap(Queue.take(logs), (entry) =>
      entry.message.includes(message) ? Effect.succeed(entry) : logged(message)
    )
  const ran = (plugin: string): Effect.Effect<Delivery> =>
    Effect.flatMap(Queue.take(runs), (delivery) =>
      delivery.run.plugin === plugin ? Effect.succeed(delivery) : ran(plugin)
    )
  return { logged, manifests, ran, states }
})

describe("the collector thread", () => {
  it.live("that a plugin spins in is ended, the plugin named and left alone, and the others go on", () =>
    Effect.gen(function* () {
      let spins = 0
      const { logged, ran, states } = yield* start(
        "beside-spinning",
        (answer, path) => {
          if (path === "/spin") spins++
          answer.end("7")
        },
        { heartbeat: { every: "50 millis", missed: 40 } }
      )
      const before = yield* ran("calm")
      assert.strictEqual(before.run.observations[0]?.value, 7)
      const { annotations } = yield* logged("replacing the collector thread")
      assert.deepStrictEqual(annotations, { plugin: "blocking", cause: "blocked the thread for 2s" })
      const state = (yield* states).get("blocking")
      assert.strictEqual(state?.state, "open")
      assert.strictEqual(state?.reason, "blocked the thread for 2s")
      assert.strictEqual(state?.failures, 1)
      // More runs than could have been under way when the old thread ended.
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* ran("calm")).run.status, "ok")
      const after = yield* states
      assert.strictEqual(after.get("blocking")?.state, "open")
      assert.notStrictEqual(after.get("calm")?.state, "open")
      assert.isAbove(after.get("calm")?.runs ?? 0, 10)
      assert.strictEqual(spins, 1)
    })
  )

  it.live("leaves out what it cannot load, says why, and is not ended by what a plugin leaves behind", () =>
    Effect.gen(function* () {
      const { logged, manifests, ran, states } = yield* start("broken", (answer) => answer.end("7"), {
        heartbeat: { every: "50 millis", missed: 40 }
      })
      const blocked = yield* logged("replacing the collector thread")
      assert.strictEqual(blocked.annotations["plugin"], "looping")
      assert.strictEqual((yield* ran("stray")).run.status, "ok")
      const left = [yield* logged("left running"), yield* logged("left running")]
      assert.sameMembers(
        left.map(({ message }) => /from a \w+/.exec(message)?.[0]),
        ["from a timer", "from a promise"]
      )
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* ran("calm")).run.status, "ok")
      assert.deepStrictEqual(
        (yield* manifests).map(({ id }) => id),
        ["calm", "stray"]
      )
      const now = yield* states
      assert.include(now.get("throwing")?.reason, "cannot be imported: Error: no such luck")
      assert.include(now.get("empty")?.reason, "not a plugin")
      assert.include(now.get("misnamed")?.reason, "its id is calm, not the name of its folder")
      assert.include(now.get("looping")?.reason, "blocked the thread")
      assert.strictEqual(now.get("looping")?.state, "open")
    })
  )

  it.live("that a plugin exits, or fills the heap of, is replaced alike", () =>
    Effect.gen(function* () {
      const { logged, ran, states } = yield* start("ending", (answer) => answer.end("7"), {
        heapMegabytes: 128
      })
      const ended = [
        yield* logged("replacing the collector thread"),
        yield* logged("replacing the collector thread")
      ]
      assert.sameMembers(
        ended.map(({ annotations }) => annotations["plugin"]),
        ["exiting", "hungry"]
      )
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* ran("calm")).run.status, "ok")
      const now = yield* states
      assert.strictEqual(now.get("exiting")?.state, "open")
      assert.include(now.get("hungry")?.reason, "memory")
    })
  )

  it.live(
    "that a plugin sends nonsense through, spoils, fills with Buffers or never finishes loading in goes on without it",
    () =>
      Effect.gen(function* () {
        const { logged, manifests, ran, states } = yield* start("hostile", (answer) => answer.end("7"), {
          heartbeat: { every: "50 millis", missed: 100 },
          loading: "5 seconds",
          memoryMegabytes: 400
        })
        const why = new Map<unknown, unknown>()
        while (why.size < 3) {
          const { annotations } = yield* logged("replacing the collector thread")
          why.set(annotations["plugin"], annotations["cause"])
        }
        assert.strictEqual(why.get("poisoning"), "changed built-in objects that all plugins share")
        assert.strictEqual(why.get("unending"), "did not load within 5s")
        assert.match(String(why.get("hoarding")), /^the thread uses \d+ MiB of memory; the limit is 400 /)
        const { annotations } = yield* logged("sent an invalid message")
        assert.property(annotations, "plugin")
        for (let n = 0; n < 10; n++) assert.strictEqual((yield* ran("calm")).run.observations[0]?.value, 7)
        assert.strictEqual((yield* ran("null-sending")).run.status, "ok")
        assert.deepStrictEqual(
          (yield* manifests).map(({ id }) => id),
          ["calm", "hoarding", "null-sending"]
        )
        const now = yield* states
        for (const plugin of why.keys()) assert.strictEqual(now.get(String(plugin))?.state, "open")
        assert.include(now.get("unending")?.reason, "did not load")
      }),
    90_000
  )

  it.live(
    "hands a plugin that reads a large body over to another, and goes on with the others meanwhile",
    () =>
      Effect.gen(function* () {
        const size = largeBody + 1
        const paths: Array<string> = []
        const { ran, states } = yield* start("beside-large", (answer, path) => {
          paths.push(path)
          answer.end(path === "/large" ? "x".repeat(size) : "7")
        })
        const channel = yield* Effect.acquireRelease(
          Effect.sync(() => new BroadcastChannel("beside-large")),
          (channel) => Effect.sync(() => channel.close())
        )
        const gate = yield* Effect.callback<Int32Array>((resume) => {
          channel.onmessage = ((event: { readonly data: Int32Array }) =>
            resume(Effect.succeed(event.data))) as typeof channel.onmessage
        })
        // The large one holds its thread now: more runs of the calm one than could have been under way.
        for (let n = 0; n < 10; n++) assert.strictEqual((yield* ran("calm")).run.status, "ok")
        Atomics.store(gate, 0, 1)
        Atomics.notify(gate, 0)
        const { run } = yield* ran("large")
        assert.strictEqual(run.error, undefined)
        assert.strictEqual(run.observations[0]?.value, size)
        // Once in each thread, and the first run counts neither as a failure nor as a run that was handed over.
        assert.lengthOf(
          paths.filter((path) => path === "/large"),
          2
        )
        assert.strictEqual((yield* states).get("large")?.failures, 0)
      })
  )

  it.live("decodes 20 MB while the main thread goes on", () =>
    Effect.gen(function* () {
      const node = (id: number) => ({ id, name: `node-${id}-${"x".repeat(150)}`, online: id % 2 === 0 })
      const body = JSON.stringify(Array.from({ length: 110_000 }, (_, id) => node(id)))
      assert.isAtLeast(body.length, 20_000_000)
      const probe = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const channel = new BroadcastChannel("large")
          const progress = { decoding: false, during: 0, decoded: false }
          const tick = () => {
            if (progress.decoding && !progress.decoded) progress.during++
            if (!progress.decoded) setTimeout(tick, 1)
          }
          channel.onmessage = ((event: { readonly data: string }) => {
            if (event.data === "decoding") {
              progress.decoding = true
              tick()
            } else progress.decoded = true
          }) as typeof channel.onmessage
          return { channel, progress }
        }),
        ({ channel }) => Effect.sync(() => channel.close())
      )
      const { ran } = yield* start("large", (answer) => answer.end(body))
      const { run } = yield* ran("large")
      assert.strictEqual(run.error, undefined)
      assert.strictEqual(run.observations[0]?.value, 110_000)
      assert.isTrue(probe.progress.decoded)
      // Were the decoding on this thread, both messages would arrive with no turn between them.
      assert.isAtLeast(probe.progress.during, 10)
    })
  )
})
