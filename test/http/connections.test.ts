/** Connections and request targets, with raw sockets on the real server. */
import { once } from "node:events"
import { connect } from "node:net"
import { setImmediate } from "node:timers/promises"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { raw } from "../support/raw.ts"
import { authority, Service } from "../support/service.ts"
import { signatureFault } from "../support/signed.ts"

/** Connections that this process has open, of clients and of the server. */
const connections = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length

const count = 300

layer(Service.layer())("a connection", (it) => {
  it.effect(
    "that sends half a head, or nothing, is answered with 408 and let go",
    () =>
      Effect.gen(function* () {
        const { port } = yield* Service
        const before = connections()
        yield* Effect.promise(async () => {
          // The client's side stays open: only the server can end what the server holds.
          const clients = Array.from({ length: count }, () =>
            connect({ port, host: "127.0.0.1", allowHalfOpen: true })
          )
          const answers = clients.map(async (client, at) => {
            await once(client, "connect")
            if (at % 2 === 0) client.write("GET /v1/networks HTTP/1.1\r\nHost: a\r\nX-Slow: ")
            const chunks: Array<Buffer> = []
            for await (const chunk of client.iterator({ destroyOnReturn: false })) chunks.push(chunk)
            return Buffer.concat(chunks).toString()
          })
          for (const answer of await Promise.all(answers)) {
            assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/)
            assert.match(answer, /\r\nConnection: close\r\n/)
            assert.strictEqual(JSON.parse(answer.split("\r\n\r\n")[1] ?? "").status, 408)
          }
          while (connections() > before + count) await setImmediate()
          for (const client of clients) client.destroy()
        })
      }),
    20_000
  )

  it.effect("that breaks off in the middle of an answer gets nothing into it", () =>
    Effect.gen(function* () {
      const { port } = yield* Service
      const reply = yield* raw(port, "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n")
      const [head = "", body = ""] = reply.split("\r\n\r\n")
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
      const rest = Buffer.from(body, "latin1").subarray(length).toString()
      assert.isTrue(rest === "" || rest.startsWith("HTTP/1.1 400 "), rest.slice(0, 100))
    })
  )
})

layer(Service.layer())("Host", (it) => {
  it.effect.each([
    ["Host: a\r\nHost: a\r\n", "1.1", 400],
    ["Host: a\r\nhOST: b\r\n", "1.1", 400],
    ["Host: a\r\nHost: a\r\n", "1.0", 400],
    ["", "1.1", 400],
    ["", "1.0", 200],
    ["Host: a\r\n", "1.1", 200]
  ] as const)(
    "is sent once: %j in HTTP/%s is %i, also where the answer is ready",
    ([hosts, version, status]) =>
      Effect.gen(function* () {
        const service = yield* Service
        yield* service.call("/v1/networks")
        const reply = yield* raw(
          service.port,
          `GET /v1/networks HTTP/${version}\r\n${hosts}Connection: close\r\n\r\n`
        )
        assert.match(reply, new RegExp(`^HTTP/1\\.1 ${status} `))
        if (status === 400) assert.strictEqual(JSON.parse(reply.split("\r\n\r\n")[1] ?? "").field, "Host")
      })
  )
})

layer(Service.layer())("a request target", (it) => {
  it.effect.each([
    ["*", "GET"],
    ["*", "OPTIONS"],
    ["ftp://plumbline.test/v1/networks", "GET"],
    ["http:/v1/networks", "GET"],
    ["http:///v1/networks", "GET"],
    ["http://user@plumbline.test/v1/networks", "GET"],
    ["http://plumbline.test#/v1/networks", "GET"],
    ["http://plumbline.test\\/v1/networks", "GET"]
  ] as const)("that names no path is refused, with no signature of another: %s %s", ([target, method]) =>
    Effect.gen(function* () {
      const { port } = yield* Service
      const reply = yield* raw(port, `${method} ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)
      assert.match(reply, /^HTTP\/1\.1 400 /)
      assert.match(reply, /\r\nConnection: close\r\n/)
      assert.notMatch(reply, /\r\n(x-service-signature|signature):/i)
    })
  )

  it.effect.each([
    ["http://plumbline.test/v1/networks?limit=1", "/v1/networks?limit=1", 200],
    ["HTTPS://plumbline.test:443/v1/networks", "/v1/networks", 200],
    ["http://[::1]:80//v1/networks", "//v1/networks", 404],
    ["http://plumbline.test", "/", 200],
    ["http://plumbline.test/networks?q=/v1/networks", "/networks?q=/v1/networks", 200],
    ["//v1/networks", "//v1/networks", 404],
    ["//plumbline.test/v1/networks", "//plumbline.test/v1/networks", 404],
    ["/http://plumbline.test/v1/networks", "/http://plumbline.test/v1/networks", 404],
    ["/v1/../v1/networks", "/v1/../v1/networks", 404],
    ["/v1/%6eetworks?limit=1", "/v1/%6eetworks?limit=1", 200],
    ["/v1%2Fnetworks", "/v1%2Fnetworks", 404],
    ["/v1/networks%3Flimit=1", "/v1/networks%3Flimit=1", 404],
    ["/v1/networks?limit=1#x", "/v1/networks?limit=1#x", 400],
    ["/v1/networks#?limit=1", "/v1/networks#?limit=1", 400]
  ] as const)("is routed and signed as it was sent: %s as %s", ([target, path, status]) =>
    Effect.gen(function* () {
      const service = yield* Service
      const reply = yield* service.call(target)
      assert.strictEqual(reply.status, status)
      assert.isUndefined(signatureFault({ ...reply, path }, service.keys, authority))
    })
  )

  it.effect("without a path is of the first page, and leads where its parameter does", () =>
    Effect.gen(function* () {
      const { headers, status } = yield* (yield* Service).call("http://plumbline.test?q=/v1/networks")
      assert.deepStrictEqual([status, headers["location"]], [308, "/networks?q=/v1/networks"])
    })
  )
})
