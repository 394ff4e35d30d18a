/** What stands around the router: the byte cache, codings, originating networks, defects, calls that are no HTTP. */
import { createHash, randomBytes } from "node:crypto"
import { assert, describe, it, layer } from "@effect/vitest"
import { ByteSize, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Availability } from "../../core/process/Availability.ts"
import { networkOf } from "../../core/process/network.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { Stamped } from "../../core/readings/read/listing.ts"
import { CacheValidators } from "../../core/readings/read/Versions.ts"
import { makeAnswer, sha256Hex } from "../../http/delivery/answer.ts"
import { ByteCache, type CacheKey, cacheKeyOf, nameOf, overhead } from "../../http/delivery/ByteCache.ts"
import { codingFor, makeEncode } from "../../http/delivery/coding.ts"
import { makeSingleFlight } from "../../http/delivery/singleFlight.ts"
import { toProblemResponse } from "../../http/problems/fromRequest.ts"
import { addressOf } from "../../http/request/origin.ts"
import type { ExtraRoute } from "../../http/routing/ExtraRoutes.ts"
import { makeSign } from "../../http/signing/sign.ts"
import { postgres } from "../support/database.ts"
import { raw } from "../support/raw.ts"
import { authority, latestRow, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { header, json, messageFault, type Reply } from "../support/signed.ts"

layer(Service.layer())("the byte cache", (it) => {
  it.effect("gives the bytes of the snapshot until the next, whatever the coding", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const current = yield* Current
      const value = Effect.fnUntraced(function* (coding: string) {
        const reply = yield* service.call({
          path: "/v1/network/FIL",
          headers: { "accept-encoding": coding }
        })
        const rows: ReadonlyArray<{ readonly value: number }> = JSON.parse(reply.body.toString("utf8"))
        return rows[0]?.value
      })
      for (const round of [1, 2, 3]) {
        yield* current.apply([latestRow(1, { value: round })])
        for (const coding of ["identity", "gzip", "identity", "br", "gzip"]) {
          assert.strictEqual(yield* value(coding), round)
        }
      }
    })
  )

  it.effect("signs a kept answer anew in each second", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const stamp = Effect.map(service.call("/v1/networks"), (reply) => [
        header(reply, "x-service-timestamp"),
        header(reply, "x-service-signature"),
        header(reply, "etag")
      ])
      yield* TestClock.setTime(Date.parse("2026-11-21T08:00:00Z"))
      yield* stamp
      const first = yield* stamp
      assert.strictEqual(first[0], "2026-11-21T08:00:00Z")
      yield* TestClock.adjust("1 second")
      const second = yield* stamp
      assert.strictEqual(second[0], "2026-11-21T08:00:01Z")
      assert.notStrictEqual(second[1], first[1])
      assert.strictEqual(second[2], first[2])
    })
  )

  it.effect("says the same in its heads as the ordinary handler", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const current = yield* Current
      yield* current.apply([latestRow(1, { value: 77 })])
      for (const coding of ["identity", "gzip"]) {
        const request = { path: "/v1/networks", headers: { "accept-encoding": coding } }
        const first = yield* service.call(request)
        const second = yield* service.call(request)
        const timeless = ({ headers }: Reply) =>
          Object.entries(headers).filter(([name]) => !["date", "connection", "keep-alive"].includes(name))
        assert.deepStrictEqual(timeless(second).toSorted(), timeless(first).toSorted())
      }
    })
  )

  it.effect("sends every byte of a small body, whatever it stands for", () =>
    Effect.gen(function* () {
      const current = yield* Current
      yield* current.apply([latestRow(1, { verify_url: "https://stats.example.net/Zähler?ort=東京" })])
      for (const path of ["/v1/network/FIL", "/x402"]) {
        for (const coding of ["identity", "gzip", "br"]) {
          const call = { path, headers: { "accept-encoding": coding } }
          const [first, second] = [yield* ask(call), yield* ask(call)]
          assert.deepStrictEqual(second.body, first.body)
          const digest = createHash("sha256").update(second.raw).digest("base64")
          assert.strictEqual(header(second, "content-digest"), `sha-256=:${digest}:`)
        }
      }
    })
  )

  it.effect("ends a connection that its client wants ended, and knows HTTP/1.0", () =>
    Effect.gen(function* () {
      const { port } = yield* Service
      for (const request of [
        "GET /v1/networks HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET /v1/networks HTTP/1.0\r\n\r\n"
      ]) {
        yield* raw(port, request)
        const reply = yield* raw(port, request)
        assert.match(reply, /^HTTP\/1\.1 200 OK\r\n/)
        assert.match(reply, /\r\nConnection: close\r\n/)
      }
    })
  )

  it.effect("lets the keyed form follow the clock", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const current = yield* Current
      yield* TestClock.setTime(Date.parse("2026-11-22T01:59:59.999Z"))
      yield* current.apply([latestRow(1, { as_of: new Date("2026-11-22T00:00:00Z") })])
      const label = Effect.map(service.call("/v1/supply?network=FIL"), (reply) => {
        const supply = json(reply)["supply"] as Readonly<Record<string, { readonly freshness: string }>>
        return supply["active_storage_providers"]?.freshness
      })
      assert.strictEqual(yield* label, "live")
      yield* TestClock.adjust("1 milli")
      assert.strictEqual(yield* label, "recent")
    })
  )

  it.effect("gives the staleness of provenance no longer than it holds", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const current = yield* Current
      yield* TestClock.setTime(Date.parse("2026-10-01T02:00:00Z"))
      yield* current.apply([latestRow(1, { as_of: new Date("2026-10-01T00:00:00Z") })])
      const flag = Effect.map(service.call("/v1/provenance?network=FIL"), (reply) => {
        const records = json(reply)["provenance"] as ReadonlyArray<{ readonly staleness_flag: boolean }>
        return records[0]?.staleness_flag
      })
      // The made-up feed runs each hour: stale is over two.
      assert.isFalse(yield* flag)
      assert.isFalse(yield* flag)
      yield* TestClock.adjust("1 milli")
      assert.isTrue(yield* flag)
    })
  )
})

/** How many answers were ready so far. */
const hits = Effect.map(
  Effect.flatMap(Service, ({ call }) => call("/metrics")),
  ({ body }) => Number(/^plumbline_http_cache_hits_total (\d+)$/m.exec(body.toString("utf8"))?.[1])
)

layer(Service.layer())("a refusal that states something", (it) => {
  it.effect("is signed, and ready once it has been asked for", () =>
    Effect.gen(function* () {
      for (const path of [
        "/v1/network/NO-SUCH",
        "/v1/supply?network=NO-SUCH",
        "/v1/history?network=NO-SUCH",
        "/v1/attest?symbol=FIL&metric=active_storage_providers&date=20260801",
        "/v1/log/batches/2026-08-01/leaves",
        "/v1/log/checkpoints/999",
        "/v1/log/tile/0/000",
        "/v1/brief?date=2026-08-03"
      ]) {
        const first = yield* ask(path)
        const before = yield* hits
        const second = yield* ask(path)
        assert.isAbove(yield* hits, before, path)
        assert.deepStrictEqual([first.status, second.status], [404, 404])
        assert.strictEqual(header(second, "cache-control"), "no-store")
        assert.isNotEmpty(header(second, "x-service-signature"))
        assert.deepStrictEqual(second.body, first.body)
      }
    })
  )
})

const answerOf = (text: string, status = 200) => {
  const body = new TextEncoder().encode(text)
  return makeAnswer(
    { status, contentType: "application/json", body, sha256: sha256Hex(body), headers: {} },
    { coding: "identity", bytes: body },
    false,
    {}
  )
}

/** What is done once while the handler of a request makes its answer from the rows that it has read. */
let whileAnswering: Effect.Effect<unknown> = Effect.void

/** The lists ask for it after they have read their rows; outside of a request it is asked for too. */
const changing = Layer.succeed(
  Stamped,
  Effect.gen(function* () {
    if (Option.isSome(yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest))) {
      const change = whileAnswering
      whileAnswering = Effect.void
      yield* change
    }
    return new Set<string>()
  })
)

layer(Service.layer().pipe(Layer.provide(changing)))("the byte cache during a change", (it) => {
  it.effect("does not keep an answer that was made of the rows before it", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const current = yield* Current
      const value = Effect.map(
        service.call("/v1/supply"),
        ({ body }) => /"value":(\d+)/.exec(body.toString("utf8"))?.[1]
      )
      yield* current.apply([latestRow(1, { value: 1 })])
      // The cache looks at what has changed once in a turn of the event loop: the answer is made in two of them.
      whileAnswering = Effect.andThen(
        current.apply([latestRow(1, { value: 2 })]),
        Effect.promise(() => new Promise((turned) => setImmediate(turned)))
      )
      assert.strictEqual(yield* value, "1")
      assert.strictEqual(yield* value, "2")
    })
  )
})

describe("ByteCache", () => {
  it("holds at most its bytes, and drops the longest unused first", () => {
    const cache = new ByteCache(3 * (overhead + 10_000))
    const plain: CacheKey = { coding: "identity", scope: "", accept: "" }
    const put = (url: string) =>
      cache.put(url, plain, {
        answer: answerOf("x".repeat(10_000)),
        basis: new CacheValidators([], 0),
        until: 10
      })
    for (const url of ["/a", "/b", "/c"]) put(url)
    assert.isDefined(cache.get("/a", plain, 0))
    put("/d")
    assert.deepStrictEqual(
      ["/a", "/b", "/c", "/d"].map((url) => cache.get(url, plain, 0) !== undefined),
      [true, false, true, true]
    )
    assert.isUndefined(cache.get("/a", { ...plain, coding: "gzip" }, 0))
    assert.isUndefined(cache.get("/a", { ...plain, accept: "markdown" }, 0))
    assert.isUndefined(cache.get("/a", plain, 10))
  })

  it("knows one form of all spellings of a preference", () => {
    const forms = ["text/markdown", "text/markdown;q=0.3", "x/1, TEXT/Markdown", "text/markdown, x/2"].map(
      (accept) => cacheKeyOf("identity", accept)
    )
    assert.deepStrictEqual(new Set(forms.map((form) => nameOf("/a", form))).size, 1)
    for (const accept of [
      undefined,
      "*/*",
      "text/html",
      "text/markdown;q=0",
      "application/json, text/markdown"
    ]) {
      assert.strictEqual(cacheKeyOf("identity", accept).accept, "", accept)
    }
  })

  it("counts the text of a small body beside its bytes", () => {
    const cache = new ByteCache(100_000)
    const plain: CacheKey = { coding: "identity", scope: "", accept: "" }
    cache.put("/a", plain, {
      answer: answerOf("x".repeat(1000)),
      basis: new CacheValidators([], 0),
      until: 10
    })
    assert.strictEqual(cache.bytes, overhead + 2000)
  })

  it("keeps answers, whatever refusals are made", () => {
    const cache = new ByteCache(40 * (overhead + 1000))
    const plain: CacheKey = { coding: "identity", scope: "", accept: "" }
    const put = (url: string, status: number) =>
      cache.put(url, plain, { answer: answerOf("x", status), basis: new CacheValidators([], 0), until: 10 })
    put("/a", 200)
    for (let n = 0; n < 100; n++) put(`/no-such-${n}`, 404)
    assert.isDefined(cache.get("/a", plain, 0))
    assert.isDefined(cache.get("/no-such-99", plain, 0))
    assert.isUndefined(cache.get("/no-such-0", plain, 0))
  })
})

describe("requests for the same bytes", () => {
  it.effect("wait for the first of them, and make them after all if it did not", () =>
    Effect.gen(function* () {
      const singleFlight = makeSingleFlight()
      const ready = yield* Deferred.make<void>()
      let begun = 0
      let cached: string | undefined
      const make = Effect.suspend(() => {
        begun++
        return Effect.as(Deferred.await(ready), "made")
      })
      const all = yield* Effect.forkChild(
        Effect.forEach([1, 2, 3], () => singleFlight("a", () => cached, make), { concurrency: "unbounded" })
      )
      yield* Effect.yieldNow
      assert.strictEqual(begun, 1)
      assert.strictEqual(yield* singleFlight("b", () => cached, Effect.succeed("other")), "other")
      cached = "kept"
      yield* Deferred.succeed(ready, undefined)
      assert.deepStrictEqual(yield* Fiber.join(all), ["made", "kept", "kept"])

      cached = undefined
      const first = yield* Effect.forkChild(singleFlight("a", () => cached, Effect.never))
      yield* Effect.yieldNow
      const second = yield* Effect.forkChild(singleFlight("a", () => cached, make))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* Fiber.join(second), "made")
      assert.strictEqual(begun, 2)
    })
  )
})

describe("codings", () => {
  it.each([
    [undefined, "identity"],
    ["", "identity"],
    ["gzip", "gzip"],
    ["gzip, br", "br"],
    ["br;q=0.1, gzip;q=0.9", "gzip"],
    ["GZIP;Q=1", "gzip"],
    ["*", "br"],
    ["br;q=0, *;q=0.5", "gzip"],
    ["identity, gzip;q=0", "identity"],
    ["deflate", "identity"],
    ["*;q=0", "identity"],
    ["gzip;q=nonsense", "identity"]
  ])("takes the best of %s: %s", (accept, coding) => {
    assert.strictEqual(codingFor(accept), coding)
    assert.strictEqual(codingFor(accept), coding)
  })

  it.effect("are made once for the same bytes, not at all for small ones or other kinds", () =>
    Effect.gen(function* () {
      const encode = makeEncode(1_000_000)
      const body = new TextEncoder().encode("text ".repeat(1000))
      const [first, second] = yield* Effect.all(
        [encode("gzip", "a", "application/json", body), encode("gzip", "a", "application/json", body)],
        { concurrency: 2 }
      )
      assert.strictEqual(first.bytes, second.bytes)
      assert.isBelow(first.bytes.length, body.length)
      assert.strictEqual((yield* encode("gzip", "a", "image/png", body)).coding, "identity")
      assert.strictEqual((yield* encode("br", "b", "text/html", body.slice(0, 100))).coding, "identity")
    })
  )

  it.effect("take as much memory as they have bytes, here and from zlib's threads", () =>
    Effect.gen(function* () {
      const encode = makeEncode(1_000_000)
      for (const length of [2000, 20_000]) {
        for (const coding of ["gzip", "br"] as const) {
          const body = new TextEncoder().encode("text ".repeat(length / 5))
          const { bytes } = yield* encode(coding, `${length}`, "application/json", body)
          assert.strictEqual(bytes.buffer.byteLength, bytes.length)
        }
      }
    })
  )

  it.effect("keep the newest bodies, however many came before them", () =>
    Effect.gen(function* () {
      // Random bytes in hexadecimal: the large one takes so long that the small ones push it out before it is made.
      const [large, ...small] = [2_000_000, ...Array.from({ length: 40 }, () => 1000)].map((length) =>
        Buffer.from(randomBytes(length).toString("hex"))
      )
      const encode = makeEncode(8000)
      const coded = (body: Buffer = Buffer.of()) => encode("gzip", sha256Hex(body), "application/json", body)
      yield* Effect.forEach([large, ...small], coded, { concurrency: "unbounded" })
      for (const body of small.slice(-4)) yield* coded(body)
      for (const body of small.slice(-4)) {
        const cached = yield* coded(body)
        assert.strictEqual((yield* coded(body)).bytes, cached.bytes)
      }
    })
  )
})

describe("signing", () => {
  it("never signs the same answer to the same target twice in a second", () => {
    let signatures = 0
    let now = 1_000
    const key = {
      kid: "k",
      sign: () => {
        signatures++
        return new Uint8Array(64)
      }
    }
    const context = {
      authority: "a.test",
      basePath: "",
      keyAddress: "",
      now: () => now,
      logHead: () => undefined
    }
    const sign = makeSign({ ...context, key: () => key })
    const statement = (url: string, method = "GET") => ({
      method,
      url,
      status: 200,
      contentType: "application/json",
      sha256: "00",
      digest: ""
    })
    const first = sign(statement("/a"))
    assert.strictEqual(sign(statement("/a")), first)
    assert.strictEqual(signatures, 2)
    // HEAD shares the statement of GET; only the message signature names the method.
    sign(statement("/a", "HEAD"))
    assert.strictEqual(signatures, 3)
    sign(statement("/a?x=1"))
    assert.strictEqual(signatures, 4)
    now = 2_000
    sign(statement("/a"))
    assert.strictEqual(signatures, 6)
  })
})

describe("an originating network", () => {
  it.each([
    ["203.0.113.7", undefined, 0, "203.0.113.7"],
    ["203.0.113.7", "198.51.100.1", 0, "203.0.113.7"],
    ["10.0.0.1", "198.51.100.1", 1, "198.51.100.1"],
    ["10.0.0.1", "1.1.1.1, 198.51.100.1", 1, "198.51.100.1"],
    ["10.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.2", 2, "198.51.100.1"],
    ["10.0.0.1", "198.51.100.1", 5, "198.51.100.1"],
    ["10.0.0.1", "1.1.1.1, nonsense", 2, "10.0.0.1"],
    ["10.0.0.1", "", 1, "10.0.0.1"],
    ["10.0.0.1", "198.51.100.1:4711", 1, "198.51.100.1"],
    ["::ffff:203.0.113.7", undefined, 0, "203.0.113.7"],
    ["::ffff:cb00:7107", undefined, 0, "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", undefined, 0, "2001:db8:1:2::/64"],
    ["2001:db8:1:2::1", undefined, 0, "2001:db8:1:2::/64"],
    ["2001:DB8::1", undefined, 0, "2001:db8:0:0::/64"],
    ["::1", undefined, 0, "0:0:0:0::/64"],
    ["fe80::1%eth0", undefined, 0, "fe80:0:0:0::/64"],
    ["10.0.0.1", "[2001:db8:1:2::9]:443", 1, "2001:db8:1:2::/64"]
  ])("of %s, forwarded for %s, through %s proxies is %s", (remote, forwarded, hops, network) => {
    assert.strictEqual(networkOf(addressOf(remote, forwarded, hops)), network)
    assert.strictEqual(networkOf(addressOf(remote, forwarded, hops)), network)
  })
})

describe("a defect", () => {
  it.effect("is a 500 that shows nothing of it", () =>
    Effect.gen(function* () {
      const secret = "postgres://user:password@db"
      const response = yield* Effect.die(new Error(secret)).pipe(
        Effect.catchCause((cause) => toProblemResponse(cause, ByteSize.kibibytes(64))),
        Effect.provide(Layer.provide(Availability.layer, postgres))
      )
      assert.strictEqual(response.status, 500)
      assert.strictEqual(response.headers["content-type"], "application/problem+json")
      assert.notInclude(JSON.stringify(response), secret)
    })
  )
})

const own: ExtraRoute = {
  method: "POST",
  path: "/own",
  summary: "A protocol of its own",
  handler: Effect.succeed(
    HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", error: { code: -1 } }, { status: 400 })
  )
}

layer(Service.layer({ beside: [own] }))("a protocol beside the API", (it) => {
  it.effect("keeps the form of its errors, and is signed; the rest of its path is ours", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const reply = yield* service.call({ method: "POST", path: "/own" })
      assert.strictEqual(reply.status, 400)
      assert.deepStrictEqual(json(reply), { jsonrpc: "2.0", error: { code: -1 } })
      assert.isUndefined(messageFault(reply, service.keys, authority))
      const refused = yield* service.call("/own")
      assert.strictEqual(refused.status, 405)
      assert.strictEqual(header(refused, "allow"), "OPTIONS, POST")
      assert.strictEqual(json(refused)["type"], "/problems/method-not-allowed")
      assert.strictEqual((yield* service.call("/health")).status, 200)
    })
  )
})

layer(Service.layer())("a parameter that is not valid", (it) => {
  it.effect.each([
    ["/v1/attest?symbol=FIL&metric=nodes_online", "date must be a day as YYYYMMDD or YYYY-MM-DD."],
    [
      "/v1/attest?symbol=FIL&metric=nodes_online&date=20260901&format=xml",
      "format must be one of bundle, absence, evidence, bundle4, absence4, chain-proof, chain-finality."
    ],
    ["/v1/export?dataset=networks&format=xml", "format must be one of csv, ndjson."],
    ["/v1/supply?limit=0", "limit must be a whole number from 1 to 1000."]
  ] as const)("is told in words and as a member: %s", ([path, message]) =>
    Effect.gen(function* () {
      const service = yield* Service
      const { api_key } = yield* (yield* Accounts).register({}, "192.0.2.77")
      const problem = json(yield* service.call({ path, headers: { "x-api-key": api_key } }))
      assert.strictEqual(problem["status"], 400)
      assert.strictEqual(problem["message"], message)
      assert.isTrue("valid" in problem || "valid_values" in problem)
    })
  )
})

layer(Service.layer({ mode: "replay" }))("a call that is no HTTP", (it) => {
  it.effect.each([
    ["nonsense\r\n\r\n", "400"],
    ["GET / HTTP/1.1\r\nbad header\r\n\r\n", "400"],
    ["GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"],
    [`GET / HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(40_000)}\r\n\r\n`, "431"]
  ] as const)("gets a problem and the end of the connection: %#", ([text, status]) =>
    Effect.gen(function* () {
      const { port } = yield* Service
      const reply = yield* raw(port, text)
      const [head = "", body = ""] = reply.split("\r\n\r\n")
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.match(head, /application\/problem\+json/)
      assert.match(head, /x-service-mode: replay/)
      const problem = JSON.parse(body)
      assert.strictEqual(problem.status, Number(status))
      assert.strictEqual(problem.error, "bad_request")
      assert.strictEqual(problem.message, problem.detail)
    })
  )
})
