/** How many connections a service has, of whom, and whom it refuses when it is full. */
import { connect, type Socket } from "node:net"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { Accounts } from "../../core/credits/Accounts.ts"
import { networkOf, wideOf } from "../../core/process/network.ts"
import { kindOf } from "../../http/admission/importance.ts"
import { ConnectionBounds } from "../../http/server.ts"
import { Service } from "../support/service.ts"

const key = `plk_${"0".repeat(43)}`

/** A client that keeps all it hears. */
interface Client {
  readonly socket: Socket
  readonly received: () => string
  readonly closed: Promise<string>
}

const opened = (port: number, from: string): Effect.Effect<Client> =>
  Effect.promise(
    () =>
      new Promise((resolve, reject) => {
        let text = ""
        const socket = connect({ port, host: "127.0.0.1", localAddress: from }, () =>
          resolve({ socket, received: () => text, closed })
        )
        const closed = new Promise<string>((done) => socket.on("close", () => done(text)))
        socket.on("data", (part) => {
          text += part.toString("latin1")
        })
        socket.on("error", reject)
        socket.on("error", () => {})
      })
  )

const head = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`

/** What comes back for a request on a connection of its own. */
const requestOnce = Effect.fnUntraced(function* (port: number, from: string, path: string, more = "") {
  const client = yield* opened(port, from)
  client.socket.write(head(path, `Connection: close\r\n${more}`))
  return yield* Effect.promise(() => client.closed)
})

/** Waits, without a clock, until it is so. */
const until = (so: () => boolean) =>
  Effect.promise(async () => {
    while (!so()) await new Promise((done) => setImmediate(done))
  })

/** A service with these bounds, and a route that answers when it is let. */
const bounded = (
  most: number,
  mostOfNetwork: number,
  { limited = false, path = "/slow" as `/${string}`, trustProxy = 0 } = {}
) => {
  const latch = Deferred.makeUnsafe<void>()
  let waiting = 0
  return {
    latch,
    waiting: () => waiting,
    service: Service.layer({
      trustProxy,
      limited,
      beside: [
        {
          method: "GET",
          path,
          summary: "Waits.",
          handler: Effect.suspend(() => {
            waiting++
            return Effect.as(Deferred.await(latch), HttpServerResponse.text("at last"))
          })
        }
      ]
    }).pipe(Layer.provide(Layer.succeed(ConnectionBounds, () => ({ most, mostOfNetwork }))))
  }
}

describe("the importance of a call", () => {
  it.each([
    ["/health", {}, "payments"],
    ["/readyz?for=writes", {}, "payments"],
    ["/v1/credits/purchase", {}, "payments"],
    ["/x402/v1/data/depin_history", {}, "payments"],
    ["/v1/supply", { "payment-signature": "x" }, "keyless"],
    ["/v1/supply", { "x-payment": "x" }, "keyless"],
    ["/webhooks/stripe", {}, "payments"],
    ["/v1/log/checkpoint", {}, "checkpoint"],
    ["/v1/log/checkpoint", { "x-api-key": key }, "checkpoint"],
    ["/v1/supply?network=FIL", { "x-api-key": key }, "keyed"],
    ["/v1/supply", { "x-api-key": "no key" }, "keyless"],
    ["/v1/log/entries", {}, "keyless"],
    ["/", {}, "pages"],
    ["/network/FIL", {}, "pages"],
    ["/docs", { "x-api-key": key }, "pages"],
    ["/test", {}, "keyless"],
    ["/test/v1/credits/purchase", {}, "keyless"],
    ["/test/v1/supply?network=FIL", { "x-api-key": `plk_test_${"0".repeat(43)}` }, "keyless"],
    ["/test/v1/supply", { "x-payment": "x" }, "keyless"],
    ["/tests", { "x-payment": "x" }, "keyless"],
    ["/v1/supply", { "x-api-key": `plk_${"1".repeat(43)}` }, "keyless"]
  ] as const)("%s with %j is one of %s", (url, headers, kind) => {
    assert.strictEqual(
      kindOf({ url, headers }, (one) => one === key),
      kind
    )
  })
})

describe("the network of a connection", () => {
  it.each([
    ["10.1.2.3", "10.1.2.3"],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["2001:db8:1:2:3::4", "2001:db8:1:2::/64"],
    ["2001:db8:1:ffff::1", "2001:db8:1:ffff::/64"]
  ])("of %s is %s", (address, network) => assert.strictEqual(networkOf(address), network))
})

describe("the wide network of a caller", () => {
  it.each([
    ["10.1.2.3", "10.1.0.0/16"],
    ["2001:db8:1:2::/64", "2001:db8::/32"],
    ["", ""]
  ])("of %s is %s", (network, wide) => assert.strictEqual(wideOf(network), wide))
})

const few = bounded(20, 4)
layer(few.service)("a network with all its connections", (it) => {
  it.effect("loses the oldest that has sent nothing for a new one, and takes nobody else's", () =>
    Effect.gen(function* () {
      const { port } = yield* Service
      const silent = yield* Effect.forEach([1, 2, 3, 4], () => opened(port, "127.0.0.2"))
      silent[0]?.socket.write("GET /v1/networks HTTP/1.1\r\nHost: a\r\nX-Slow: ")
      assert.match(yield* requestOnce(port, "127.0.0.2", "/health"), /^HTTP\/1\.1 200 /)
      const [oldest, ...others] = silent
      assert.match(
        (yield* Effect.promise(() => oldest?.closed ?? Promise.reject())) ?? "",
        /^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 5\r\n/i
      )
      for (const { received, socket } of others) {
        assert.strictEqual(received(), "")
        socket.destroy()
      }
    })
  )

  it.effect("is refused what is more, with all of them busy, and others are served", () =>
    Effect.gen(function* () {
      const { port } = yield* Service
      const busy = yield* Effect.forEach([1, 2, 3, 4], () => opened(port, "127.0.0.3"))
      for (const { socket } of busy) socket.write(head("/slow", "Connection: close\r\n"))
      yield* until(() => few.waiting() === 4)
      const refused = yield* requestOnce(port, "127.0.0.3", "/health")
      assert.match(refused, /^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 5\r\n/i)
      assert.strictEqual(JSON.parse(refused.split("\r\n\r\n")[1] ?? "").error, "unavailable")
      assert.match(yield* requestOnce(port, "127.0.0.4", "/health"), /^HTTP\/1\.1 200 /)
      yield* Deferred.succeed(few.latch, undefined)
      for (const { closed } of busy) assert.match(yield* Effect.promise(() => closed), /at last$/)
    })
  )
})

/** Under a path of sales, whose calls are refused last. */
const sale = "/x402/slow"

const full = bounded(20, 100, { limited: true, path: sale })
layer(full.service)("a full service", (it) => {
  it.effect("closes idle connections first, then those that sent nothing, and never busy ones", () =>
    Effect.gen(function* () {
      const { port } = yield* Service
      const silent = yield* Effect.forEach(Array.from({ length: 9 }), () => opened(port, "127.0.0.2"))
      const idle = yield* Effect.forEach(Array.from({ length: 9 }), () => opened(port, "127.0.0.3"))
      for (const { socket } of idle) socket.write(head("/health"))
      yield* until(() => idle.every(({ received }) => received().includes("\r\n\r\n")))
      // From 18 of 20 on, each new connection costs an idle one.
      for (let n = 0; n < 9; n++) yield* opened(port, "127.0.0.4")
      for (const { closed } of idle) yield* Effect.promise(() => closed)
      assert.deepStrictEqual(
        silent.map(({ received }) => received()),
        silent.map(() => "")
      )
      // All are silent now: the oldest makes room, from the 21st on.
      for (let n = 0; n < 11; n++) yield* opened(port, "127.0.0.5")
      for (const { closed } of silent) assert.match(yield* Effect.promise(() => closed), /^HTTP\/1\.1 503 /)
      assert.match(yield* requestOnce(port, "127.0.0.6", "/health"), /^HTTP\/1\.1 200 /)
    })
  )

  it.effect("refuses pages first, a key as anybody's until it is identified, and payments last", () =>
    Effect.gen(function* () {
      const { port } = yield* Service
      const identified = (yield* (yield* Accounts).register({}, "192.0.2.9")).api_key
      const statuses = Effect.fnUntraced(function* () {
        const of = (path: string, more = "") =>
          Effect.map(requestOnce(port, "127.0.0.7", path, more), (text) => Number(text.slice(9, 12)))
        return {
          pages: yield* of("/docs"),
          keyless: yield* of("/v1/networks"),
          unknown: yield* of("/v1/networks", `X-API-Key: ${key}\r\n`),
          header: yield* of("/v1/networks", "X-PAYMENT: x\r\n"),
          keyed: yield* of("/v1/networks", `X-API-Key: ${identified}\r\n`),
          checkpoint: yield* of("/v1/log/checkpoint"),
          probe: yield* of("/health"),
          payments: yield* of("/v1/credits/products")
        }
      })
      const busy: Array<Client> = []
      const fill = Effect.fnUntraced(function* (count: number) {
        for (let n = busy.length; n < count; n++) {
          const client = yield* opened(port, `127.0.1.${n + 1}`)
          client.socket.write(head(sale, "Connection: close\r\n"))
          busy.push(client)
        }
        yield* until(() => full.waiting() === count)
      })
      const room = yield* statuses()
      assert.notInclude(Object.values(room), 503)
      const expected = (refused: ReadonlyArray<string>) =>
        Object.fromEntries(
          Object.entries(room).map(([kind, status]) => [kind, refused.includes(kind) ? 503 : status])
        )
      for (const [count, refused] of [
        [14, ["pages"]],
        [16, ["pages", "keyless", "unknown", "header"]],
        [18, ["pages", "keyless", "unknown", "header", "keyed"]],
        [19, ["pages", "keyless", "unknown", "header", "keyed", "checkpoint"]]
      ] as const) {
        yield* fill(count)
        assert.deepStrictEqual(yield* statuses(), expected(refused), String(count))
      }
      yield* Deferred.succeed(full.latch, undefined)
      for (const { closed } of busy) yield* Effect.promise(() => closed)
      assert.deepStrictEqual(yield* statuses(), room)
    })
  )
})

const selling = bounded(20, 100, { path: sale })
layer(selling.service)("sales of one network", (it) => {
  it.effect("are those of anybody beyond a few in progress, and others can still pay", () =>
    Effect.gen(function* () {
      const { port } = yield* Service
      const busy = yield* Effect.forEach(Array.from({ length: 16 }), () => opened(port, "127.0.0.9"))
      for (const { socket } of busy) socket.write(head(sale, "Connection: close\r\n"))
      yield* until(() => selling.waiting() === 16)
      const status = (from: string) =>
        Effect.map(requestOnce(port, from, "/v1/credits/products"), (text) => text.slice(9, 12))
      assert.strictEqual(yield* status("127.0.0.9"), "503")
      assert.notStrictEqual(yield* status("127.0.0.10"), "503")
      yield* Deferred.succeed(selling.latch, undefined)
      for (const { closed } of busy) yield* Effect.promise(() => closed)
    })
  )
})

const proxied = bounded(20, 2, { trustProxy: 1 })
layer(proxied.service)("behind a proxy", (it) => {
  it.effect("the proxy has as many connections as it likes, and a client's requests are bounded", () =>
    Effect.gen(function* () {
      const { port } = yield* Service
      const of = (client: string) => `X-Forwarded-For: ${client}\r\nConnection: close\r\n`
      const busy = yield* Effect.forEach(Array.from({ length: 14 }), () => opened(port, "127.0.0.2"))
      for (const [n, { socket }] of busy.entries())
        socket.write(head("/slow", of(n < 2 ? "10.0.0.1" : n < 12 ? `10.1.0.${n}` : `10.${n}.0.1`)))
      yield* until(() => proxied.waiting() === 14)
      const status = (client: string) =>
        Effect.map(requestOnce(port, "127.0.0.2", "/v1/networks", of(client)), (text) => text.slice(9, 12))
      assert.strictEqual(yield* status("10.0.0.1"), "503")
      assert.strictEqual(yield* status("10.0.0.2"), "200")
      // Ten of the /16 around it are busy, which is five times as many as of one network.
      assert.strictEqual(yield* status("10.1.0.99"), "503")
      yield* Deferred.succeed(proxied.latch, undefined)
      for (const { closed } of busy) yield* Effect.promise(() => closed)
    })
  )
})
