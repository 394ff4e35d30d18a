/** Every answer that states data is signed, whatever its status, coding or method; the others are told apart. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { verifyResponse } from "../../core/proof/verifyResponse.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { authority, latestRow, Service } from "../support/service.ts"
import {
  type Call,
  header,
  messageFault,
  type Reply,
  signatureFault,
  statementFault
} from "../support/signed.ts"

const assertSigned = Effect.fnUntraced(function* (reply: Reply, body = reply.body) {
  const { keys } = yield* Service
  assert.isUndefined(signatureFault(reply, keys, authority, body), `${reply.method} ${reply.path}`)
})

const fill = Effect.gen(function* () {
  const current = yield* Current
  yield* current.apply(
    Array.from({ length: 60 }, (_, n) => latestRow(n + 1, { metric: `metric_${n}`, value: n }))
  )
})

layer(Service.layer())("an answer", (it) => {
  it.effect.each([
    "/try",
    "/v1/networks",
    "/v1/networks?limit=3&cursor=FIL",
    "/v1/network/FIL",
    "/v1/network/NO-SUCH",
    "/v1/network/%46IL",
    "/v1/supply",
    "/v1/supply?network=FIL",
    "/v1/supply?limit=0",
    "/v1/market",
    "/v1/revenue",
    "/v1/revenue?unknown=1",
    "/v1/provenance",
    "/v1/provenance?network=NO-SUCH",
    "/v1/history?network=FIL&days=7",
    "/v1/history?network=FIL&days=0",
    "/v1/history",
    "/v1/world",
    "/v1/data-dictionary",
    "/v1/revisions",
    "/health",
    "/readyz",
    "/.well-known/service-signing-key.json",
    "/openapi.json",
    "/docs",
    "/terms",
    "/problems/bad-parameter",
    "/problems/no-such",
    "/nowhere",
    "/"
  ])("to GET %s is signed, also in gzip, br, as HEAD, and again from the cache", (path) =>
    Effect.gen(function* () {
      yield* fill
      const service = yield* Service
      const plain = yield* service.call(path)
      yield* assertSigned(plain)
      for (const coding of ["gzip", "br", "identity", "gzip"]) {
        yield* assertSigned(yield* service.call({ path, headers: { "accept-encoding": coding } }))
      }
      const head = yield* service.call({ method: "HEAD", path })
      assert.strictEqual(head.raw.length, 0)
      // The test's clock stands still, so that HEAD is of the same body.
      const again = yield* service.call(path)
      yield* assertSigned(head, again.body)
      assert.strictEqual(header(head, "content-length"), String(again.raw.length))
    })
  )

  it.effect.each<Call>([
    { method: "POST", path: "/v1/supply" },
    { method: "DELETE", path: "/v1/networks" },
    { method: "PUT", path: "/nowhere" },
    { path: "/v1/supply?network=%E0%A4%A" },
    { path: `/${"a".repeat(3000)}` },
    { path: "/v1/supply", headers: { "x-api-key": "no-such-key" } }
  ])("to a refused call is signed: %o", (refused) =>
    Effect.gen(function* () {
      const service = yield* Service
      yield* assertSigned(yield* service.call(refused))
    })
  )

  it.effect.each<Call & { readonly status: number }>([
    { path: "/nowhere", status: 404 },
    { method: "HEAD", path: "/nowhere", status: 404 },
    { method: "DELETE", path: "/v1/networks", status: 405 },
    { path: "/v1/supply?network=%E0%A4%A", status: 400 },
    { path: `/${"a".repeat(3000)}`, status: 414 },
    { path: "/v1/credits/balance", headers: { "x-api-key": "no-such-key" }, status: 401 },
    { path: "/v1/networks", headers: { "x-large": "a".repeat(40_000) }, status: 431 }
  ])(
    "that states no data is known to the verifier as unsigned, and proves nothing: %o",
    ({ status, ...call }) =>
      Effect.gen(function* () {
        const service = yield* Service
        const reply = yield* service.call(call)
        assert.strictEqual(reply.status, status)
        const keys = (yield* service.call("/.well-known/service-signing-key.json")).body.toString()
        const [path = "", query] = call.path.split("?")
        const headers = Object.fromEntries(
          Object.keys(reply.headers).map((name) => [name, header(reply, name)])
        )
        const request = { method: call.method ?? "GET", authority, path, query: `?${query ?? ""}` }
        const verify = (change: Readonly<Record<string, string>>, body: Uint8Array = reply.body) =>
          verifyResponse(
            { status, headers: { ...headers, ...change }, body, request },
            { keys: JSON.parse(keys) }
          )
        assert.deepStrictEqual(
          verify({}).map(({ name, ok }) => [name, ok]),
          [["statement", "not proved"]]
        )
        // Anything else without a signature was tampered with.
        assert.strictEqual(verify({ "content-type": "application/json" })[0]?.ok, false)
        assert.strictEqual(verify({ "x-service-timestamp": "2026-09-05T12:00:00Z" })[0]?.ok, false)
        assert.strictEqual(verify({}, Buffer.from('{"type":"/problems/unknown-symbol"}'))[0]?.ok, false)
      })
  )

  it.effect.each<Call & { readonly status: number }>([
    { path: "/nowhere", status: 404 },
    { path: "/log/", status: 308 }
  ])("that a browser is led on from is known as unsigned, too: %o", ({ path, status }) =>
    Effect.gen(function* () {
      const service = yield* Service
      const { body, headers } = yield* service.call({ path, headers: { accept: "text/html" } })
      const keys = JSON.parse((yield* service.call("/.well-known/service-signing-key.json")).body.toString())
      const request = { method: "GET", authority, path, query: "?" }
      const answer = { status, headers: headers as Readonly<Record<string, string>>, body, request }
      assert.strictEqual(verifyResponse(answer, { keys })[0]?.ok, "not proved")
      const tampered = { ...answer, status: 200 }
      assert.strictEqual(verifyResponse(tampered, { keys })[0]?.ok, false)
    })
  )

  it.effect("is confirmed by a 304 that carries the statement over the body it confirms", () =>
    Effect.gen(function* () {
      yield* fill
      const service = yield* Service
      for (const coding of ["identity", "gzip", "br"]) {
        const headers = { "accept-encoding": coding }
        const first = yield* service.call({ path: "/v1/network/FIL", headers })
        const etag = header(first, "etag")
        for (const tags of [etag, `"other", W/${etag}`, "*"]) {
          const second = yield* service.call({
            path: "/v1/network/FIL",
            headers: { ...headers, "if-none-match": tags }
          })
          assert.strictEqual(second.status, 304)
          assert.strictEqual(second.raw.length, 0)
          assert.strictEqual(header(second, "etag"), etag)
          assert.strictEqual(header(second, "signature"), "")
          assert.isUndefined(statementFault(second, service.keys.current, first.body))
        }
        const other = yield* service.call({
          path: "/v1/network/FIL",
          headers: { ...headers, "if-none-match": '"other"' }
        })
        assert.strictEqual(other.status, 200)
      }
    })
  )

  it.effect("keeps on a 304 what a client puts in the place of what it had", () =>
    Effect.gen(function* () {
      yield* fill
      const service = yield* Service
      // The second time the byte cache answers.
      for (const path of ["/docs", "/docs", "/terms", "/v1/network/FIL"]) {
        const first = yield* service.call(path)
        const second = yield* service.call({ path, headers: { "if-none-match": header(first, "etag") } })
        assert.strictEqual(second.status, 304)
        for (const name of [
          "cache-control",
          "vary",
          "content-security-policy",
          "cross-origin-opener-policy",
          "x-content-type-options",
          "access-control-allow-origin"
        ]) {
          assert.strictEqual(header(second, name), header(first, name), `${path}: ${name}`)
        }
        for (const name of ["content-length", "content-type", "content-digest", "unencoded-digest"]) {
          assert.strictEqual(header(second, name), "", `${path}: ${name}`)
        }
      }
    })
  )

  it.effect("fails with a changed body, time or path, and its message with another query", () =>
    Effect.gen(function* () {
      yield* fill
      const service = yield* Service
      const reply = yield* service.call("/v1/networks?limit=3")
      yield* assertSigned(reply)
      const { keys } = service
      const changed = Buffer.from(reply.body)
      changed[changed.length - 2] = (changed[changed.length - 2] ?? 0) ^ 1
      assert.isDefined(statementFault(reply, keys.current, changed))
      assert.isDefined(messageFault(reply, keys, authority, changed))
      const later = { ...reply.headers, "x-service-timestamp": "2099-01-01T00:00:00Z" }
      assert.isDefined(statementFault({ ...reply, headers: later }, keys.current))
      assert.isDefined(messageFault({ ...reply, headers: later }, keys, authority))
      assert.isDefined(statementFault({ ...reply, path: "/v1/network" }, keys.current))
      assert.isDefined(messageFault({ ...reply, path: "/v1/networks?limit=4" }, keys, authority))
      assert.isDefined(messageFault({ ...reply, status: 404 }, keys, authority))
      assert.isDefined(messageFault(reply, keys, "elsewhere.test"))
    })
  )
})
