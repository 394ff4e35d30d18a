/** Who is counted for what, asked of the running service and of its limits. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { Accounts, RegistrationsPerDay } from "../../core/credits/Accounts.ts"
import { Callers } from "../../core/credits/Callers.ts"
import * as Core from "../../core/credits/Limits.ts"
import { RateLimits } from "../../http/delivery/RateLimits.ts"
import type { Http } from "../../http/server.ts"
import { credits } from "../support/credits.ts"
import { postgres } from "../support/database.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { header, json, type Reply } from "../support/signed.ts"

const statuses = (replies: ReadonlyArray<Reply>) => {
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** A payment by its form, which nobody could settle. */
const decodes = Buffer.from(
  JSON.stringify({
    x402Version: 2,
    accepted: {},
    payload: {
      signature: "0x00",
      authorization: {
        from: `0x${"1".repeat(40)}`,
        to: `0x${"2".repeat(40)}`,
        value: "1",
        validAfter: "0",
        validBefore: "1",
        nonce: `0x${"0".repeat(64)}`
      }
    }
  })
).toString("base64")

const small = Layer.succeed(Core.LimitSettings, { perMinute: 300, perDay: 40 })

layer(Service.layer({ trustProxy: 1, limited: true }).pipe(Layer.provide(small)))("a network", (it) => {
  const from = (network: number, more: Record<string, string> = {}) => ({
    headers: { "x-forwarded-for": `198.51.100.${network}`, ...more }
  })
  const parallel = <A, E, R>(n: number, ask: (n: number) => Effect.Effect<A, E, R>) =>
    Effect.forEach(
      Array.from({ length: n }, (_, at) => at),
      ask,
      { concurrency: "unbounded" }
    )

  it.effect("whose day is used up can still register, see prices, order, top up and pay", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const read = () => call({ path: "/v1/networks", ...from(1) })
      yield* call({ path: "/v1/networks", ...from(2) })
      // Some of them ready, some not, all at once.
      assert.deepStrictEqual(statuses(yield* parallel(100, read)), { 200: 40, 429: 60 })

      const registered = yield* call({ method: "POST", path: "/v1/credits/register", ...from(1) })
      assert.strictEqual(registered.status, 200)
      const key = { "x-api-key": String(json(registered)["api_key"]) }
      const post = (path: string, body: object) =>
        call({
          method: "POST",
          path,
          headers: { ...from(1, key).headers, "content-type": "application/json" },
          body: JSON.stringify(body)
        })
      const open = [
        yield* call({ path: "/v1/credits/pricing", ...from(1) }),
        yield* call({ path: "/v1/credits/balance", ...from(1, key) }),
        yield* call({ path: "/x402", ...from(1) }),
        yield* call({ path: "/x402/v1/data/depin_networks", ...from(1) }),
        yield* post("/buy/api/order", { sku: "dp_agent_499", email: "name@example.org" }),
        yield* post("/v1/credits/topup", { method: "stripe", amount: 20 }),
        yield* post("/v1/credits/purchase", { product_key: "depin_networks" })
      ]
      for (const { path, status } of open) assert.notStrictEqual(status, 429, path)
      // A free key is no way around the network's day.
      assert.strictEqual((yield* call({ path: "/v1/networks", ...from(1, key) })).status, 429)
      assert.strictEqual((yield* call({ path: "/v1/networks", ...from(3, key) })).status, 200)
    })
  )

  it.effect("without a subscription finds its limits in the price list", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { tiers } = json(yield* call({ path: "/v1/credits/pricing", ...from(90) })) as {
        tiers: ReadonlyArray<{ tier: string; includes: object }>
      }
      const free = tiers.find(({ tier }) => tier === "free")
      assert.deepInclude(free?.includes, { calls_per_minute: 300, calls_per_day: 40 })
    })
  )

  it.effect("whose day is used up can still follow the log, with or without a key", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      yield* parallel(60, () => call({ path: "/v1/networks", ...from(5) }))
      assert.strictEqual((yield* call({ path: "/v1/networks", ...from(5) })).status, 429)
      // No more at a time than may wait for their answers.
      const portions = yield* Effect.forEach([1, 2, 3, 4, 5], () =>
        parallel(20, () => call({ path: "/v1/log/checkpoint", ...from(5) }))
      )
      const files = portions.flat()
      // The log of this service is still empty.
      assert.deepStrictEqual(statuses(files), { 404: 100 })
      for (const file of files) assert.include(header(file, "ratelimit-policy"), '"minute";q=1200;')
      const keyed = yield* call({
        path: "/v1/log/checkpoint",
        ...from(5, { "x-api-key": "plk_none" })
      })
      assert.strictEqual(keyed.status, 404)
    })
  )

  it.effect("whose day is used up can still open pages, and order by their form", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      yield* parallel(60, () => call({ path: "/v1/networks", ...from(6) }))
      assert.strictEqual((yield* call({ path: "/v1/networks", ...from(6) })).status, 429)
      const [asset = ""] = /\/assets\/[^"]+/.exec(
        (yield* call({ path: "/verify", ...from(6) })).body.toString("utf8")
      ) ?? [""]
      for (const path of ["/", "/verify", "/log", asset]) {
        const reply = yield* call({ path, ...from(6) })
        assert.strictEqual(reply.status, 200, path)
        assert.include(header(reply, "ratelimit-policy"), '"minute";q=600;', path)
      }
      const order = yield* call({ method: "POST", path: "/buy/order", ...from(6) })
      assert.include(header(order, "ratelimit-policy"), '"minute";q=120;')
      // As many as a minute allows, and no more: pages have no day.
      const opened = statuses(yield* parallel(300, () => call({ path: "/verify", ...from(6) })))
      assert.isAbove(opened[429] ?? 0, 0)
      assert.strictEqual((opened[200] ?? 0) + (opened[429] ?? 0), 300)
    })
  )

  it.effect("can pay however many offers it asked for", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const path = "/x402/v1/data/depin_networks"
      // One after the other: of eighty at once, the queue would refuse most before the limit does.
      const offers = statuses(
        yield* Effect.forEach(Array.from({ length: 80 }), () => call({ path, ...from(4) }))
      )
      assert.strictEqual(offers[429], 20)
      // What does not decode is no payment.
      assert.strictEqual((yield* call({ path, ...from(4, { "x-payment": "e30=" }) })).status, 429)
      for (const name of ["payment-signature", "x-payment"]) {
        const paid = yield* call({ path, ...from(4, { [name]: decodes }) })
        assert.notStrictEqual(paid.status, 429)
        assert.include(header(paid, "ratelimit-policy"), '"burst";q=60;')
      }
      // The header is a payment only where something is sold for one.
      yield* parallel(40, () => call({ path: "/v1/networks", ...from(4) }))
      const read = yield* call({ path: "/v1/networks", ...from(4, { "payment-signature": decodes }) })
      assert.strictEqual(read.status, 429)
    })
  )

  it.effect(
    "can make twenty keys per day, the first three with credits, however many it asks for at once",
    () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const results = yield* parallel(131, () => Effect.result(accounts.register({}, "198.51.100.5")))
        const keys = results.flatMap((result) => (result._tag === "Success" ? [result.success] : []))
        assert.deepStrictEqual(
          keys.map((key) => key.credits_balance).toSorted((a, b) => b - a),
          [5, 5, 5, ...Array.from({ length: 17 }, () => 0)]
        )
        const { call } = yield* Service
        const register = call({ method: "POST", path: "/v1/credits/register", ...from(5) })
        const refused = yield* register
        assert.strictEqual(refused.status, 429)
        assert.strictEqual(json(refused)["error"], "too_many_requests")
        assert.strictEqual(header(refused, "retry-after"), String(json(refused)["retry_after"]))
        yield* TestClock.adjust("1 day")
        assert.strictEqual((yield* register).status, 200)
      })
  )

  it.effect("of an IPv6 /32 shares its keys", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      for (let n = 0; n < 20; n++) {
        yield* Effect.forEach(Array.from({ length: 20 }), () => accounts.register({}, `2001:db8:1:${n}::/64`))
      }
      const refused = yield* Effect.flip(accounts.register({}, "2001:db8:1:ffff::/64"))
      assert.strictEqual(refused._tag, "TooManyRequests")
      yield* accounts.register({}, "2001:db9:1:ffff::/64")
    })
  )
})

const wellFormed = (n: number) => Redacted.make(`plk_${String(n).padStart(43, "_")}`)

describe("the service", () => {
  it("does not compile without limits", () => {
    const isNeeded: RateLimits extends Layer.Services<ReturnType<typeof Http.layer>> ? true : false = true
    assert.isTrue(isNeeded)
  })
})

describe("a key", () => {
  const services = Layer.provideMerge(
    RateLimits.layer,
    Layer.provideMerge(Core.Limits.layerUnwritten, credits(postgres))
  ).pipe(Layer.provide(Layer.succeed(RegistrationsPerDay, null)))

  /** How many queries an effect makes. */
  const queries = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
    let count = 0
    const tracer = Tracer.make({
      span: (options) => {
        if (options.kind === "client") count++
        return new Tracer.NativeSpan(options)
      }
    })
    return Effect.map(Effect.withTracer(effect, tracer), () => count)
  }

  layer(services)((it) => {
    const caller = { network: "203.0.113.1", path: "/v1/credits/balance", pays: false }
    const call = (key: Redacted.Redacted, to = caller) =>
      Effect.gen(function* () {
        const verdict = yield* (yield* RateLimits).keyed(key, to)
        if (verdict.allowed) yield* Effect.exit((yield* Accounts).authenticate(key))
        return verdict
      })
    const calls = (n: number, key: (n: number) => Redacted.Redacted, to = caller) =>
      Effect.forEach(
        Array.from({ length: n }, (_, at) => at),
        (at) => call(key(at), to),
        { concurrency: "unbounded" }
      )

    it.effect("of another form than ours is refused without a query", () =>
      Effect.gen(function* () {
        for (const text of [
          "",
          "plk_x",
          `plk_${"a".repeat(42)}`,
          `plk_${"a".repeat(44)}`,
          `plk_${"+".repeat(43)}`
        ]) {
          const callers = yield* Callers
          assert.strictEqual(yield* queries(call(Redacted.make(text))), 0)
          assert.strictEqual(yield* queries(callers.identify(Redacted.make(text))), 0)
        }
      })
    )

    it.effect("that nobody has is looked up once in some seconds", () =>
      Effect.gen(function* () {
        const to = { ...caller, network: "203.0.113.2", path: "/v1/networks" }
        const once = calls(50, () => wellFormed(1), to)
        // One for the limits, and none after it for the account.
        assert.strictEqual(yield* queries(once), 1)
        assert.strictEqual(yield* queries(once), 0)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* queries(once), 1)
      })
    )

    it.effect("that nobody has meets its network's limit before the query", () =>
      Effect.gen(function* () {
        const to = { ...caller, network: "203.0.113.3" }
        assert.strictEqual(yield* queries(calls(200, (n) => wellFormed(1000 + n), to)), 60)
        const verdict = yield* call(wellFormed(2000), to)
        assert.isFalse(verdict.allowed)
        assert.strictEqual(verdict.retryAfter, 60)
      })
    )

    it.effect("is known as soon as it is registered, also where it was asked for before", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const key = wellFormed(3000)
        assert.strictEqual((yield* Effect.flip(accounts.authenticate(key)))._tag, "KeyUnknown")
        const account = yield* accounts.open(Redacted.value(key), "")
        assert.strictEqual((yield* accounts.authenticate(key)).id, account)
      })
    )

    it.effect(
      "of a subscription is held up neither by its own calls at once nor by its network's guesses",
      () =>
        Effect.gen(function* () {
          const accounts = yield* Accounts
          const to = { network: "203.0.113.4", path: "/v1/networks", pays: false }
          const { api_key } = yield* accounts.register({}, to.network)
          const key = Redacted.make(api_key)
          yield* accounts.setTier((yield* accounts.authenticate(key)).id, "pro")
          const limits = yield* RateLimits
          const verdicts = (n: number) =>
            Effect.forEach(Array.from({ length: n }), () => limits.keyed(key, to), {
              concurrency: "unbounded"
            })
          assert.isTrue((yield* verdicts(200)).every(({ allowed }) => allowed))
          yield* calls(100, (n) => wellFormed(4000 + n), to)
          assert.isFalse((yield* call(wellFormed(5000), to)).allowed)
          assert.isTrue((yield* verdicts(200)).every(({ allowed }) => allowed))
        })
    )
  })
})

layer(Service.layer({ trustProxy: 1, limited: true }))("limits over HTTP", (it) => {
  it.effect("a burst ends in 429 with the time to wait; gauges and the probe have no limit", () =>
    Effect.gen(function* () {
      const headers = { "x-forwarded-for": "192.0.2.20" }
      const { port } = yield* Service
      const replies = yield* Effect.forEach(
        Array.from({ length: 121 }),
        () => ask({ path: "/try", headers }),
        {
          concurrency: 4
        }
      )
      assert.isAbove(port, 0)
      assert.deepStrictEqual(
        replies.map(({ status }) => status).filter((status) => status !== 200),
        [429]
      )
      const refused = yield* ask({ path: "/v1/market", headers })
      assert.deepInclude(json(refused), { status: 429, error: "too_many_requests", retry_after: 1 })
      assert.strictEqual(header(refused, "retry-after"), "1")
      assert.match(
        header(refused, "ratelimit"),
        /^"burst";r=0;t=\d+, "minute";r=180;t=\d+, "day";r=1380;t=\d+, "millis";r=\d+;t=\d+, "bytes";r=\d+;t=\d+$/
      )
      assert.strictEqual(
        header(refused, "ratelimit-policy"),
        '"burst";q=120;w=24, "minute";q=300;w=60, "day";q=1500;w=86400, ' +
          '"millis";q=6000;w=60;qu="processor-milliseconds", "bytes";q=100000000;w=60;qu="content-bytes"'
      )
      assert.deepInclude(json(refused), { quota: "burst" })
      assert.strictEqual((yield* ask({ path: "/health", headers })).status, 200)
      assert.strictEqual((yield* ask({ path: "/readyz", headers })).status, 200)
      // An unknown key counts for its network: guessing keys is no way past the limit.
      for (const key of ["plk_guess", `plk_${"g".repeat(43)}`]) {
        const guessed = { ...headers, "x-api-key": key }
        assert.strictEqual((yield* ask({ path: "/try", headers: guessed })).status, 429)
        // What is about accounts is counted by itself.
        assert.strictEqual((yield* ask({ path: "/v1/credits/balance", headers: guessed })).status, 401)
      }
      assert.strictEqual(
        (yield* ask({ path: "/try", headers: { "x-forwarded-for": "192.0.2.21" } })).status,
        200
      )
    })
  )
})
