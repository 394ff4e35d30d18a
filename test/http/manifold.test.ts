/** The encoder API over HTTP: its quotas, its keys, and what they open. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { sha256 } from "../../core/credits/Secret.ts"
import dagManifold from "../../core/products/dag_manifold_30d/build.ts"
import { grant } from "../support/credits.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { header, json, type Reply } from "../support/signed.ts"

const path = "/v1/manifold/distance"
const start = Date.UTC(2026, 8, 5, 23)
const day = 86_400_000

const diagonal = (...values: ReadonlyArray<number>) => ({
  matrix: values.map((value, i) => values.map((_, j) => (i === j ? value : 0)))
})
const two = { points: [diagonal(1, 1), diagonal(Math.E, 1)] }

const post = (to: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  ask({
    method: "POST",
    path: to,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

const from = (network: string) => ({ "x-forwarded-for": network })
const query = (headers: Readonly<Record<string, string>>, body: unknown = two) => post(path, body, headers)

/** An account with credits for some keys. */
const buyer = Effect.fnUntraced(function* (network: string, credits = 99n) {
  const registered = yield* post("/v1/credits/register", {}, from(network))
  const headers = { "x-api-key": String(json(registered)["api_key"]), ...from(network) }
  const { account } = json(yield* ask({ path: "/v1/credits/balance", headers }))
  yield* grant(String(account), credits * 1_000_000n, `for ${network}`)
  const buy = (more: Readonly<Record<string, string>> = {}) =>
    post("/v1/credits/purchase", { product_key: "dag_manifold_30d" }, { ...headers, ...more })
  return {
    headers,
    buy,
    balance: Effect.map(ask({ path: "/v1/credits/balance", headers }), (it) => json(it))
  }
})

const dataOf = (reply: Reply) => {
  const text = reply.body.toString("utf8")
  return text.slice(text.indexOf(',"data":') + 8, -1)
}
const keyOf = (reply: Reply): string => JSON.parse(dataOf(reply)).api_key

layer(
  Service.layer({
    products: Effect.map(dagManifold.sale, (product) => [product]),
    trustProxy: 1,
    limited: true
  })
)("the encoder API", (it) => {
  it.effect("answers ten signed queries per day without a key, by originating network", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const here = from("203.0.113.1")
      const first = yield* query(here)
      assert.strictEqual(first.status, 200)
      const [pair] = json(first)["distances"] as ReadonlyArray<Record<string, number>>
      assert.closeTo(pair?.["log_euclidean"] ?? 0, 1, 1e-12)
      assert.closeTo(pair?.["affine_invariant"] ?? 0, 1, 1e-12)
      assert.strictEqual(
        header(first, "ratelimit-policy"),
        '"burst";q=120;w=24, "minute";q=300;w=60, "millis";q=6000;w=60;qu="processor-milliseconds", ' +
          '"bytes";q=100000000;w=60;qu="content-bytes", "day";q=10;w=86400'
      )
      assert.match(header(first, "ratelimit"), /^"burst";r=119;t=1, "minute";r=299;t=60, .*"day";r=9;t=3600$/)

      // What is refused, looked at or asked elsewhere counts for nothing.
      assert.strictEqual((yield* query(here, { points: [diagonal(-1)] })).status, 400)
      assert.strictEqual((yield* ask({ path, headers: here })).status, 405)
      assert.strictEqual((yield* ask({ path: "/v1/market", headers: here })).status, 200)
      const rest = yield* Effect.forEach(Array.from({ length: 12 }), () => query(here), {
        concurrency: "unbounded"
      })
      assert.lengthOf(
        rest.filter(({ status }) => status === 200),
        9
      )
      const over = yield* query(here)
      assert.strictEqual(over.status, 429)
      assert.strictEqual(header(over, "retry-after"), "3600")
      assert.match(header(over, "ratelimit"), /"day";r=0;t=3600$/)
      assert.deepInclude(json(over), { error: "too_many_requests", retry_after: 3600 })
      assert.strictEqual((yield* query(from("203.0.113.2"))).status, 200)

      yield* TestClock.adjust("1 hour")
      const next = yield* query(here)
      assert.strictEqual(next.status, 200)
      assert.match(header(next, "ratelimit"), /"day";r=9;t=86400$/)
    })
  )

  it.effect("says what is wrong with a body, and how to call it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const here = from("203.0.113.3")
      const cases: ReadonlyArray<readonly [string, string, RegExp]> = [
        ['{"points":[{"matrix":[[1,1e999],[1e999,1]]}]}', "points.0.matrix.0.1", /finite/],
        ['{"points":[{"matrix":[[1,null],[0,1]]}]}', "points.0.matrix.0.1", /number/],
        ['{"points":[{"matrix":[["1"]]}]}', "points.0.matrix.0.0", /number/],
        ['{"points":[{"matrix":7}]}', "points.0.matrix", /array/],
        ['{"points":[{"network":"FIL","metrics":["x"],"days":1.5}]}', "points.0.days", /integer/],
        ['{"points":{}}', "points", /a list: 1 to 8 points/],
        ["{}", "points", /./],
        ["[]", "body", /./],
        ['{"points":[{"matrix":[[1,2],[2,1]]}]}', "points.0.matrix", /smallest eigenvalue is -1/]
      ]
      for (const [body, field, pattern] of cases) {
        const reply = yield* query(here, body)
        assert.strictEqual(reply.status, 400, body)
        assert.deepInclude(json(reply), { error: "bad_parameter", field }, body)
        assert.match(String(json(reply)["message"]), pattern)
      }
      const unknown = yield* query(here, { points: [{ network: "NOPE", metrics: ["x"] }] })
      assert.strictEqual(unknown.status, 404)
      assert.deepInclude(json(unknown), { error: "unknown_symbol", field: "points.0.network" })
      const hint = json(yield* ask({ path, headers: here }))["hint"] as Record<string, unknown>
      assert.deepInclude(hint, { method: "POST", path, content_type: "application/json" })
      // A hint stands alone: it has no document that a reference could point into.
      assert.notInclude(JSON.stringify(hint["body"]), "$ref")
      const sample = /-d '(.*)'$/.exec(String(hint["sample"]))?.[1] ?? ""
      assert.strictEqual((yield* query(here, sample)).status, 200)
    })
  )

  it.effect("has a key that opens it alone, 1,000 times a day for 30 days", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const sql = yield* SqlClient.SqlClient
      const { balance, buy, headers } = yield* buyer("203.0.113.4")
      const bought = yield* buy()
      assert.strictEqual(bought.status, 200)
      assert.deepInclude(json(bought), { price_paid: 99, remaining_balance: 5, delivery: "inline" })
      assert.strictEqual(json(bought)["payload_sha256"], sha256(dataOf(bought)))
      assert.deepInclude(JSON.parse(dataOf(bought)), { queries_per_day: 1000, valid_days: 30 })
      const key = keyOf(bought)
      assert.match(key, /^plk_[A-Za-z0-9_-]{43}$/)

      // Nothing that is kept holds the key.
      const [row] = yield* sql<{ text: string }>`
          select string_agg(encode(bytes, 'escape'), '') as text from payload`
      assert.notInclude(row?.text, key)
      const [hash] = yield* sql<{ hash: string }>`select hash from encoder_key where hash = ${sha256(key)}`
      assert.isDefined(hash)
      const again = yield* ask({
        path: `/v1/credits/purchases/${json(bought)["purchase_id"]}?include=data`,
        headers
      })
      assert.strictEqual(dataOf(again), dataOf(bought))

      const encoderHeaders = { "x-api-key": key, ...from("203.0.113.5") }
      const first = yield* query(encoderHeaders)
      assert.strictEqual(first.status, 200)
      assert.match(header(first, "ratelimit"), /"day";r=999;t=3600$/)
      for (const [method, account] of [
        ["GET", "/v1/credits/balance"],
        ["GET", "/v1/credits/purchases"],
        ["POST", "/v1/credits/purchase"],
        ["POST", "/v1/credits/keys/rotate"],
        ["GET", "/v1/export?dataset=networks"]
      ] as const) {
        const reply = yield* ask({
          method,
          path: account,
          headers: { ...encoderHeaders, "content-type": "application/json" },
          ...(method === "POST" ? { body: '{"product_key":"depin_provenance"}' } : {})
        })
        assert.strictEqual(reply.status, 401, account)
      }
      // It is no tier: gated views stay shut, and an open one is served as without a key.
      assert.strictEqual((yield* ask({ path: "/v1/dilution-risk", headers: encoderHeaders })).status, 402)
      assert.include(
        JSON.stringify(json(yield* ask({ path: "/v1/supply", headers: encoderHeaders }))["access"]),
        "unknown"
      )
      // And the account's key is none of the encoder's.
      const mistaken = yield* query(headers)
      assert.strictEqual(mistaken.status, 401)
      assert.include(String(json(mistaken)["message"]), "dag_manifold_30d")

      yield* sql`update usage set calls = 999 where subject = ${`encoder:key:${sha256(key)}`}`
      assert.match(header(yield* query(encoderHeaders), "ratelimit"), /"day";r=0;t=3600$/)
      assert.strictEqual((yield* query(encoderHeaders)).status, 429)
      yield* TestClock.setTime(start + 30 * day - 1000)
      assert.strictEqual((yield* query(encoderHeaders)).status, 200)
      yield* TestClock.setTime(start + 30 * day)
      const ended = yield* query(encoderHeaders)
      assert.strictEqual(ended.status, 401)
      assert.include(String(json(ended)["message"]), "expired at 2026-10-05T23:00:00.000Z")
      assert.deepInclude(yield* balance, { credits_balance: 5 })
    })
  )

  it.effect("gives every purchase a key of its own, and the same one to a retry", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { balance, buy } = yield* buyer("203.0.113.6", 300n)
      const retried = yield* Effect.forEach(
        Array.from({ length: 5 }),
        () => buy({ "idempotency-key": "once" }),
        { concurrency: "unbounded" }
      )
      assert.lengthOf([...new Set(retried.map((reply) => reply.body.toString("utf8")))], 1)
      const others = yield* Effect.forEach(Array.from({ length: 4 }), () => buy(), {
        concurrency: "unbounded"
      })
      const paid = others.filter(({ status }) => status === 200)
      // 305 credits pay three keys: the retried one and two more.
      assert.deepStrictEqual(others.map(({ status }) => status).sort(), [200, 200, 402, 402])
      assert.deepInclude(yield* balance, { credits_balance: 8 })
      const keys = [...paid, ...retried.slice(0, 1)].map(keyOf)
      assert.strictEqual(new Set(keys).size, 3)
      for (const key of keys) {
        const answered = yield* query({ "x-api-key": key, ...from("203.0.113.6") })
        assert.match(header(answered, "ratelimit"), /"day";r=999/)
      }
      const sql = yield* SqlClient.SqlClient
      const [unsold] = yield* sql`
          select 1 as one from encoder_key where purchase not in (select id from purchase)`
      assert.isUndefined(unsold)
    })
  )
})
