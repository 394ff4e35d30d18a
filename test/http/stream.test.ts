/** `/v1/stream` on real sockets: every event once and in order, whatever the client and the network do. */
import { type ClientRequest, type IncomingMessage, request } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Effect, Latch, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { EventLog } from "../../core/events/EventLog.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { ProcessState } from "../../core/process/ProcessState.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Event, EventsResponse } from "../../core/wire/events/event.ts"
import { heartbeatEvery } from "../../http/stream/Streams.ts"
import * as Runs from "../support/runs.ts"
import { baseUrl, Service } from "../support/service.ts"
import { json, signatureFault } from "../support/signed.ts"

const start = Date.UTC(2026, 8, 5, 9)
const stopping = Latch.makeUnsafe(false)
const networks = ["FIL", "STORJ", "AKT", "RENDER", "HNT", "GEOD"]

const services = Layer.unwrap(
  Effect.as(
    TestClock.setTime(start),
    Service.layer({ manifests: [{ ...Runs.manifest, covers: { networks } }], limited: true })
  )
).pipe(
  Layer.provide(
    Layer.succeed(ProcessState, {
      isStopping: () => stopping.isOpen(),
      stopping: stopping.await,
      warnings: Effect.succeed([])
    })
  )
)

/** One block of a stream. */
interface Block {
  readonly id?: number
  readonly event?: string
  readonly data?: Record<string, unknown>
}

const blockOf = (text: string): Block => {
  const fields = new Map(
    text.split("\n").flatMap((line) => {
      const [, name, value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, value] as const]
    })
  )
  const [id, event, data] = [fields.get("id"), fields.get("event"), fields.get("data")]
  return {
    ...(id === undefined ? {} : { id: Number(id) }),
    ...(event === undefined ? {} : { event }),
    ...(data === undefined ? {} : { data: JSON.parse(data) })
  }
}

/** A client that reads when it is told to. */
class Client {
  readonly blocks: Array<Block> = []
  readonly ended: Promise<void>
  status = 0
  headers: IncomingMessage["headers"] = {}
  text = ""
  #response: IncomingMessage | undefined
  #request: ClientRequest
  #rest = ""

  constructor(port: number, path: string, headers: Readonly<Record<string, string>> = {}) {
    this.#request = request({ host: "127.0.0.1", port, path, headers, agent: false })
    this.ended = new Promise((resolve) => {
      this.#request.on("error", () => resolve())
      this.#request.on("response", (response) => {
        this.status = response.statusCode ?? 0
        this.headers = response.headers
        this.#response = response
        response.setEncoding("utf8")
        response.on("data", (part: string) => {
          this.text += part
          const blocks = (this.#rest + part).split("\n\n")
          this.#rest = blocks.pop() ?? ""
          this.blocks.push(...blocks.map(blockOf))
        })
        response.on("error", () => resolve())
        response.on("close", () => resolve())
      })
    })
    this.#request.end()
  }

  resume() {
    this.#response?.resume()
  }

  pause() {
    this.#response?.pause()
  }

  cut() {
    this.#request.destroy()
  }

  /** What a browser would send as `Last-Event-ID`. */
  get last(): number | undefined {
    return this.blocks.findLast(({ id }) => id !== undefined)?.id
  }

  get events(): ReadonlyArray<Block> {
    return this.blocks.filter(({ data, id }) => id !== undefined && data !== undefined)
  }

  block(event: string): Block | undefined {
    return this.blocks.find((block) => block.event === event)
  }
}

/** Lets the outside world answer until something is there. */
const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    while (!condition()) await new Promise((resume) => setImmediate(resume))
  })

let written = 0

/** New values of some networks, as one commit. */
const change = (symbols: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const ingest = yield* Ingest
    written++
    const time = isoTime(start - 3_600_000 + written * 1000)
    yield* ingest.write(
      Runs.delivery(
        start,
        symbols.map((symbol) => Runs.row(written, time, { symbol }))
      )
    )
    return yield* (yield* EventLog).run
  }).pipe(Effect.orDie)

const opened = Effect.fnUntraced(function* (path: string, headers: Readonly<Record<string, string>> = {}) {
  const { port } = yield* Service
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => new Client(port, path, headers)),
    (one) => Effect.sync(() => one.cut())
  )
  yield* until(() => client.blocks.length > 0 || client.status >= 400)
  return client
})

const ids = (client: Client) => client.events.map(({ id }) => id)

layer(services, { excludeTestServices: false })("a stream of events", (it) => {
  it.effect("says what it is, then gives each event as the list has it", () =>
    Effect.gen(function* () {
      const client = yield* opened("/v1/stream?symbol=FIL,STORJ")
      assert.strictEqual(client.headers["content-type"], "text/event-stream; charset=utf-8")
      assert.strictEqual(client.headers["cache-control"], "no-store")
      assert.isUndefined(client.headers["x-service-signature"])
      assert.strictEqual(client.headers["access-control-allow-origin"], "*")
      assert.strictEqual(client.blocks[0]?.event, "open")
      yield* change(["FIL", "STORJ", "AKT"])
      yield* until(() => client.events.length === 2)
      const { call, keys } = yield* Service
      const list = yield* call("/v1/events?symbol=FIL,STORJ")
      assert.isUndefined(signatureFault(list, keys, new URL(baseUrl).host))
      const page = Schema.decodeUnknownSync(EventsResponse)(json(list))
      assert.deepStrictEqual(
        client.events.map(({ data }) => Schema.decodeUnknownSync(Event)(data)),
        [...page.events]
      )
    })
  )

  it.effect("filters by category and kind, and shows the sample without a subscription", () =>
    Effect.gen(function* () {
      // The sample is that of the last heartbeat.
      yield* TestClock.adjust(heartbeatEvery)
      const storage = yield* opened("/v1/stream?category=storage&symbol=FIL,STORJ,AKT&kind=values")
      const days = yield* opened("/v1/stream?kind=day_closed")
      const sampled = yield* opened("/v1/stream")
      yield* change(networks)
      yield* until(() => storage.events.length === 2)
      assert.deepStrictEqual(
        storage.events.map(({ data }) => data?.["symbol"]),
        ["FIL", "STORJ"]
      )
      // A quarter of six networks, at least one, as in the lists.
      yield* until(() => sampled.events.length > 0)
      const { call } = yield* Service
      const listed = json(yield* call(`/v1/events?after=${sampled.block("open")?.data?.["newest_id"]}`))
      assert.strictEqual((listed["events"] as ReadonlyArray<unknown>).length, 1)
      assert.strictEqual((listed["access"] as { breadth: string }).breadth, "sample")
      assert.deepStrictEqual([sampled.events.length, days.events.length], [1, 0])
      for (const [path, field] of [
        ["/v1/stream?kind=nothing", "kind"],
        ["/v1/stream?category=nothing", "category"],
        ["/v1/events?symbol=,", "symbol"]
      ] as const) {
        const refused = json(yield* call(path))
        assert.deepStrictEqual([refused["status"], refused["field"]], [400, field])
      }
      const wrong = yield* opened("/v1/stream", { "last-event-id": "x" })
      assert.strictEqual(wrong.status, 400)
      assert.strictEqual((yield* call("/v1/stream?symbol=NOPE-NOPE")).status, 404)
    })
  )

  it.effect("gives every event once and in order over any number of disconnections", () =>
    Effect.gen(function* () {
      const { port } = yield* Service
      const step = fc.oneof(
        fc.record({ kind: fc.constant("change" as const), count: fc.integer({ min: 1, max: 6 }) }),
        fc.record({ kind: fc.constant("cut" as const), count: fc.constant(0) }),
        fc.record({ kind: fc.constant("read" as const), count: fc.constant(0) })
      )
      const [steps = []] = fc.sample(fc.array(step, { minLength: 60, maxLength: 60 }), {
        numRuns: 1,
        seed: 7
      })
      const path = `/v1/stream?symbol=${networks.join()}`
      let client = yield* opened(path)
      const first = Number(client.block("open")?.data?.["newest_id"])
      const ids: Array<number> = []
      let last = first
      let newest = first
      const keep = () => {
        ids.push(...client.events.flatMap(({ id }) => id ?? []))
        last = client.last ?? last
      }
      for (const { count, kind } of steps) {
        if (kind === "change") newest += yield* change(networks.slice(0, count))
        if (kind === "read") yield* until(() => (client.last ?? last) >= newest)
        if (kind === "cut") {
          client.cut()
          keep()
          client = new Client(port, path, { "last-event-id": String(last) })
          yield* Effect.addFinalizer(() => Effect.sync(() => client.cut()))
        }
      }
      yield* until(() => (client.last ?? last) >= newest)
      keep()
      assert.deepStrictEqual(
        ids,
        Array.from({ length: newest - first }, (_, n) => first + 1 + n)
      )
      assert.isAbove(ids.length, 50)
    })
  )

  it.effect("says so where a client has an id that does not exist yet, and goes on with the next event", () =>
    Effect.gen(function* () {
      yield* change(["FIL"])
      const future = yield* opened("/v1/stream?symbol=FIL", { "last-event-id": "900000" })
      const newest = Number(future.block("open")?.data?.["newest_id"])
      yield* until(() => future.block("gap") !== undefined)
      const { from, to } = future.block("gap")?.data ?? {}
      assert.deepStrictEqual([from, to], [newest + 1, 900000])
      yield* change(["FIL"])
      yield* until(() => future.events.length === 1)
      assert.deepStrictEqual(ids(future), [newest + 1])
    })
  )

  it.effect("has a heartbeat that moves the id on, and ends after an hour with a word", () =>
    Effect.gen(function* () {
      const client = yield* opened("/v1/stream?symbol=GEOD")
      yield* change(["FIL"])
      const newest = Number((yield* opened("/v1/stream")).block("open")?.data?.["newest_id"])
      yield* TestClock.adjust(heartbeatEvery)
      yield* until(() => client.last === newest)
      assert.deepStrictEqual(client.events, [])
      yield* TestClock.adjust("61 minutes")
      yield* Effect.promise(() => client.ended)
      assert.deepStrictEqual(
        [client.block("close")?.data?.["reason"], client.block("close")?.data?.["resume_after"]],
        ["age", newest]
      )
    })
  )

  it.effect("gives a network five at a time, and the place back when one ends", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const open = yield* Effect.forEach(Array.from({ length: 5 }), () => opened("/v1/stream"))
      const refused = yield* call("/v1/stream")
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers["retry-after"], "60")
      assert.include(String(json(refused)["message"]), "5 open streams")
      open[0]?.cut()
      let again: Client | undefined
      for (let n = 0; n < 50 && again?.status !== 200; n++) again = yield* opened("/v1/stream")
      assert.strictEqual(again?.status, 200)
    })
  )

  it.effect("cuts a client off that does not read, and others get everything", () =>
    Effect.gen(function* () {
      const path = `/v1/stream?symbol=${networks.join()}`
      const slow = yield* opened(path)
      slow.pause()
      const quick = yield* opened(path)
      // More than the sockets between the two hold.
      const large = "x".repeat(400_000)
      const sql = yield* SqlClient.SqlClient
      const first = Number(quick.block("open")?.data?.["newest_id"])
      for (let n = 1; n <= 40; n++) {
        const body = JSON.stringify({ id: first + n, large })
        yield* sql`insert into event (id, kind, symbol, at, body) values (${first + n}, 'values', 'FIL', now(), ${body})`
      }
      yield* change(["FIL"])
      yield* until(() => quick.last === first + 41)
      assert.isBelow(slow.text.length, large.length * 41)
      yield* TestClock.adjust("46 seconds")
      yield* change(["FIL"])
      yield* until(() => quick.last === first + 42)
      slow.resume()
      yield* Effect.promise(() => slow.ended)
      assert.isBelow(slow.events.length, 42)
      // What it got has no hole, so it can go on from there.
      assert.deepStrictEqual(
        ids(slow),
        Array.from({ length: slow.events.length }, (_, n) => first + 1 + n)
      )
    })
  )

  it.effect("tells its clients to connect again when the process stops", () =>
    Effect.gen(function* () {
      const client = yield* opened("/v1/stream")
      stopping.openUnsafe()
      yield* Effect.promise(() => client.ended)
      const { data } = client.block("close") ?? {}
      assert.strictEqual(data?.["reason"], "stopping")
      assert.match(String(data?.["message"]), /Last-Event-ID: \d+/)
      assert.match(client.text, /retry: \d+\nevent: close/)
      const { call } = yield* Service
      assert.strictEqual((yield* call("/v1/stream")).status, 503)
    })
  )
})
