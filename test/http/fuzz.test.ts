/**
 * Random calls made from the API's own description: known and broken paths, methods, queries, headers and bodies. No
 * answer is a 5xx, every error is a problem, every answer is signed unless it states no datum.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import * as fc from "fast-check"
import { Current } from "../../core/readings/read/Current.ts"
import { Api } from "../../http/api/Api.ts"
import { authority, latestRow, Service } from "../support/service.ts"
import { type Call, call, header, json, signatureFault } from "../support/signed.ts"

const document = OpenApi.fromApi(Api)
// An answer of the stream has no end.
const paths = Object.keys(document.paths).filter((path) => path !== "/v1/stream")
const names = [
  ...new Set(
    Object.values(document.paths).flatMap((item) =>
      [item.get, item.post].flatMap((operation) => (operation?.parameters ?? []).map(({ name }) => name))
    )
  )
]

/** What a router, a parser or a database may trip over. */
const nasty = fc.constantFrom(
  "FIL",
  "SN64",
  "SN129",
  "SN-1",
  "SN01",
  "fil",
  "",
  "0",
  "-1",
  "30",
  "1e9",
  "NaN",
  "99999999999999999999",
  "2026-09-01",
  "2026-13-45T99:99:99Z",
  "null",
  "[]",
  "__proto__",
  "constructor",
  "toString",
  "' or 1=1 --",
  "../../etc/passwd",
  "\u0000",
  "\u202e",
  "\ud83d\ude00",
  "a".repeat(500)
)

const value = fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 40 }), fc.nat().map(String))

/** As it is, well encoded, or broken: every form an address can have on the wire. */
const encoded = value.chain((text) =>
  fc.constantFrom(
    encodeURIComponent(text.toWellFormed()),
    text.replace(/[^\x21-\x7e]|[#?&/]/g, "%"),
    `%${encodeURIComponent(text.toWellFormed()).slice(1)}`,
    `${encodeURIComponent(text.toWellFormed())}%`,
    `${encodeURIComponent(text.toWellFormed())}%ff`
  )
)

const path = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom(...paths), encoded)
      .map(([template, text]) => template.replace(/\{\w+\}/g, text))
  },
  { weight: 1, arbitrary: fc.array(encoded, { maxLength: 5 }).map((parts) => `/${parts.join("/")}`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...paths),
        fc.constantFrom("/", "//", ";x=1", "|", "%2F", "%00", ".", "/..", "*")
      )
      .map(([template, tail]) => template + tail)
  }
)

const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...names), encoded), encoded), { maxLength: 4 })
  .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.map(([name, text]) => `${name}=${text}`).join("&")}`))

const body = fc.oneof(
  fc.constant(undefined),
  fc.json({ maxDepth: 3 }),
  fc.constantFrom("{", "[".repeat(5000), "null", '{"__proto__":{"a":1}}', '{"product_key":1}', "\ufffd"),
  fc
    .dictionary(
      fc.constantFrom(
        ...["product_key", "run", "network", "email", "agent_name", "method", "amount", "from_address"],
        ...["wallet", "nonce", "signature", "sku"]
      ),
      fc.oneof(nasty, fc.constantFrom("stripe", "usdc", "depin_networks", "depin_history"), fc.jsonValue())
    )
    .map((record) => JSON.stringify(record))
)

/** Stands for a key that the service gave, which is known only once it runs. */
const registered = "registered"

const calls: fc.Arbitrary<Call> = fc
  .record({
    method: fc.oneof(
      { weight: 6, arbitrary: fc.constant("GET") },
      { weight: 3, arbitrary: fc.constantFrom("POST", "HEAD") },
      { weight: 1, arbitrary: fc.constantFrom("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND") }
    ),
    path,
    query,
    body,
    coding: fc.constantFrom("", "gzip", "br", "*;q=0", "gzip;q=x,,;", "identity;q=0"),
    type: fc.constantFrom("application/json", "text/plain", "application/x-www-form-urlencoded", "x"),
    key: fc.constantFrom(undefined, "unknown", "a".repeat(1000), registered),
    tags: fc.constantFrom(undefined, "*", '"x"', "W/", ",,,")
  })
  .map(({ body, coding, key, method, path, query, tags, type }) => ({
    method,
    path: path + query,
    ...(body === undefined || method === "GET" || method === "HEAD" || method === "TRACE" ? {} : { body }),
    headers: {
      "accept-encoding": coding,
      "content-type": type,
      ...(key === undefined ? {} : { "x-api-key": key }),
      ...(tags === undefined ? {} : { "if-none-match": tags })
    }
  }))

layer(Service.layer())("any call", (it) => {
  it.effect(
    "is answered below 500, errors as problems, and signed",
    () =>
      Effect.gen(function* () {
        const { call: ask, keys, port } = yield* Service
        const key = json(yield* ask({ method: "POST", path: "/v1/credits/register" }))["api_key"]
        const current = yield* Current
        yield* current.apply(
          Array.from({ length: 20 }, (_, n) => latestRow(n + 1, { metric: `metric_${n}` }))
        )
        const statusCounts = new Map<number, number>()
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(calls, async (request) => {
              const usesKey = request.headers?.["x-api-key"] === registered
              const headers = usesKey ? { ...request.headers, "x-api-key": String(key) } : request.headers
              const reply = await call(port, { ...request, ...(headers === undefined ? {} : { headers }) })
              statusCounts.set(reply.status, (statusCounts.get(reply.status) ?? 0) + 1)
              // What is not set up on this service says so; that is no failure.
              assert.isTrue(reply.status < 500 || reply.status === 503, `${reply.status} ${reply.body}`)
              // The address of a page that is not its canonical one.
              if (reply.status === 308) return assert.match(header(reply, "location"), /^\//)
              if (reply.method === "HEAD" || reply.status === 304) {
                // Which refusal it is, only a body would say.
                if (reply.status < 400) {
                  assert.match(header(reply, "x-service-signature"), /^ed25519:[0-9a-f]{128}$/)
                }
                return
              }
              assert.isUndefined(signatureFault(reply, keys, authority))
              if (reply.status < 400) return
              assert.strictEqual(header(reply, "content-type"), "application/problem+json")
              const problem = json(reply)
              assert.strictEqual(problem["status"], reply.status)
              assert.match(String(problem["type"]), /^\/problems\/[a-z-]+$/)
              assert.notMatch(reply.body.toString("utf8"), /\.ts:\d|node_modules|\bat async\b/)
            }),
            { numRuns: 1500 }
          )
        )
        // It went past the first refusals.
        for (const status of [200, 400, 404, 405])
          assert.isAbove(statusCounts.get(status) ?? 0, 10, `${status}`)
      }),
    120_000
  )
})
