/** Where a plugin cannot go: other hosts, other schemes, and addresses inside; and how a map is read. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { refusal } from "../../runtime/upstream/address.ts"
import { parseMap } from "../../runtime/upstream/map.ts"
import { get, pair, standIn, upstream } from "./stand-in.ts"

const failure = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

describe("an address", () => {
  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "2001:db8::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "not an address",
    ""
  ])("%s is refused", (address) => {
    assert.isString(refusal(address))
  })

  it.each([
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.0.1",
    "172.32.0.1",
    "2606:4700::1111",
    "2a00::1"
  ])("%s is public", (address) => {
    assert.isUndefined(refusal(address))
  })

  it("of IPv6 that holds any IPv4 address is refused", () => {
    fc.assert(
      fc.property(fc.ipV4(), (v4) => {
        assert.isString(refusal(`::ffff:${v4}`))
        assert.isString(refusal(`64:ff9b::${v4}`))
      })
    )
  })
})

describe("a name", () => {
  it.effect.each([
    ["127.0.0.1", "loopback"],
    ["169.254.169.254", "link-local"],
    ["::1", "not global unicast"]
  ] as const)("that resolves to %s is refused when it connects", ([address, why]) =>
    Effect.gen(function* () {
      const server = yield* standIn((answer) => answer.end("secret"))
      const { exchange } = yield* upstream({
        manifest: { hosts: [`api.sample.test:${server.port}`] },
        resolve: async () => [{ address, family: address.includes(":") ? 6 : 4 }]
      })
      const url = `https://api.sample.test:${server.port}/`
      assert.include(yield* failure(exchange({ method: "GET", url })), why)
      assert.lengthOf(server.requests, 0)
    })
  )

  it.effect("that resolves to a public address and a private one is refused as a whole", () =>
    Effect.gen(function* () {
      const { exchange } = yield* upstream({
        resolve: async () => [
          { address: "1.1.1.1", family: 4 },
          { address: "10.0.0.1", family: 4 }
        ]
      })
      assert.include(yield* failure(exchange(get())), "api.sample.test resolves to a private address")
    })
  )

  it.effect("to listen at is checked alike", () =>
    Effect.gen(function* () {
      const server = yield* standIn((answer) => answer.end())
      let connections = 0
      server.server.on("connection", () => {
        connections++
      })
      const host = `api.sample.test:${server.port}`
      const { exchange } = yield* upstream({
        manifest: { hosts: [host] },
        resolve: async () => [{ address: "127.0.0.1", family: 4 }]
      })
      assert.include(
        yield* failure(exchange({ method: "LISTEN", url: `wss://${host}/` })),
        "api.sample.test resolves to a loopback address"
      )
      assert.strictEqual(connections, 0)
    })
  )
})

describe("a URL", () => {
  it.effect.each([
    ["http://api.sample.test/", "only https:// is allowed"],
    ["ftp://api.sample.test/", "only https:// is allowed"],
    ["https://elsewhere.test/", "elsewhere.test is not in the manifest"],
    ["https://api.sample.test:8443/", "api.sample.test:8443 is not in the manifest"],
    ["https://api.sample.test.elsewhere.test/", "is not in the manifest"],
    ["https://api.sample.test@elsewhere.test/", "a user name in the URL"],
    ["https://user:pass@api.sample.test/", "a user name in the URL"],
    ["https://127.0.0.1/", "IP addresses are not allowed"],
    ["https://2130706433/", "IP addresses are not allowed"],
    ["https://0x7f.1/", "IP addresses are not allowed"],
    ["https://0177.0.0.1/", "IP addresses are not allowed"],
    ["https://[::1]/", "IP addresses are not allowed"],
    ["https://[::ffff:7f00:1]/", "IP addresses are not allowed"],
    ["https://１２７.0.0.1/", "IP addresses are not allowed"],
    ["https://localhost/", "localhost is not in the manifest"],
    [`https://api.sample.test/${"x".repeat(9000)}`, "longer than 8192 characters"],
    ["not a url", "not a URL"]
  ] as const)("%s is not fetched", ([url, why]) =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer) => answer.end())
      assert.include(yield* failure(exchange({ method: "GET", url })), why)
      assert.lengthOf(requests, 0)
    })
  )

  it.effect("that an operator set may have a host of its own", () =>
    Effect.gen(function* () {
      const server = yield* standIn((answer) => answer.end("ok"))
      const { exchange } = yield* upstream({
        map: { "node.operator.test": server.url },
        settings: { rpc: "https://node.operator.test/rpc" }
      })
      assert.strictEqual(
        (yield* exchange({ method: "GET", url: "https://node.operator.test/rpc" })).status,
        200
      )
    })
  )
})

describe("a redirect", () => {
  it.effect("to another host of the list is followed; the exchange keeps the address asked for", () =>
    Effect.gen(function* () {
      const other = yield* standIn((answer) => answer.end("moved"))
      const { exchange } = yield* pair(
        (answer) => {
          answer.writeHead(302, { location: "https://other.sample.test/new?a=1" })
          answer.end()
        },
        { map: { "other.sample.test": other.url } }
      )
      const result = yield* exchange({ ...get(), method: "POST", body: "x" })
      assert.strictEqual(Buffer.from(result.body).toString(), "moved")
      assert.strictEqual(result.request.url, get().url)
      assert.strictEqual(other.requests[0]?.url, "/new?a=1")
      assert.strictEqual(other.requests[0]?.method, "GET")
    })
  )

  it.effect("of 307 keeps method and body", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer, { url }) => {
        if (url === "/new") answer.end("ok")
        else answer.writeHead(307, { location: "/new" }).end()
      })
      yield* exchange({ ...get(), method: "POST", body: "x" })
      assert.strictEqual(requests[1]?.method, "POST")
      assert.strictEqual(requests[1]?.body, "x")
    })
  )

  it.effect.each([
    ["https://elsewhere.test/", "after a redirect: the host elsewhere.test is not in the manifest"],
    ["https://127.0.0.1/", "after a redirect: IP addresses are not allowed"],
    ["http://169.254.169.254/latest/meta-data/", "after a redirect: IP addresses are not allowed"],
    ["http://api.sample.test/", "after a redirect: only https:// is allowed"],
    ["//elsewhere.test/", "after a redirect: the host elsewhere.test is not in the manifest"],
    ["file:///etc/passwd", "after a redirect"]
  ] as const)("to %s is not followed", ([location, why]) =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer) => answer.writeHead(302, { location }).end())
      assert.include(yield* failure(exchange(get())), why)
      assert.lengthOf(requests, 1)
    })
  )

  it.effect("to the stand-in's own address is not followed: the map is for hosts, not for addresses", () =>
    Effect.gen(function* () {
      const inside = yield* standIn((answer) => answer.end("secret"))
      const { exchange } = yield* pair((answer) => answer.writeHead(302, { location: inside.url.href }).end())
      assert.include(yield* failure(exchange(get())), "after a redirect")
      assert.lengthOf(inside.requests, 0)
    })
  )

  it.effect("to a host of the list that resolves inside is refused", () =>
    Effect.gen(function* () {
      const { exchange } = yield* pair(
        (answer) => answer.writeHead(302, { location: "https://other.sample.test/" }).end(),
        { resolve: async () => [{ address: "192.168.0.1", family: 4 }] }
      )
      assert.include(yield* failure(exchange(get())), "other.sample.test resolves to a private address")
    })
  )

  it.effect("that loops ends after five", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer) =>
        answer.writeHead(302, { location: "/again" }).end()
      )
      assert.include(yield* failure(exchange(get())), "more than 5 redirects")
      assert.lengthOf(requests, 6)
    })
  )
})

describe("UPSTREAM_MAP", () => {
  it.effect("is a list of hosts and their stand-ins", () =>
    Effect.gen(function* () {
      const map = yield* parseMap("a.test=http://127.0.0.1:8001, b.test:8443=http://localhost:8002")
      assert.strictEqual(map.get("a.test")?.port, "8001")
      assert.strictEqual(map.get("b.test:8443")?.hostname, "localhost")
      assert.strictEqual((yield* parseMap("")).size, 0)
    })
  )

  it.effect.each(["/polygon", "/polygon/", "/?key=1", "#a"])(
    "refuses the path %s, which would be dropped",
    (path) =>
      Effect.gen(function* () {
        const message = yield* failure(parseMap(`a.test=http://127.0.0.1:8001${path}`))
        assert.include(message, "has a path")
        assert.include(message, "write a.test=http://127.0.0.1:8001 and")
        assert.strictEqual((yield* parseMap("a.test=http://127.0.0.1:8001/")).size, 1)
      })
  )

  it.effect.each([
    "a.test",
    "a.test=",
    "=http://127.0.0.1",
    "a.test=127.0.0.1:80",
    "a.test=ftp://127.0.0.1",
    "A test=http://x"
  ])("says what is wrong with %s", (text) =>
    Effect.gen(function* () {
      assert.include(yield* failure(parseMap(text)), "is not of the form host=http://127.0.0.1:port")
    })
  )
})
