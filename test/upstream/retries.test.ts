/** Further tries, the pace of a host, its breaker, and conditional requests. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { defaults } from "../../runtime/upstream/limits.ts"
import { retryAfter, waitBefore } from "../../runtime/upstream/retry.ts"
import { TransportError } from "../../runtime/upstream/TransportError.ts"
import { get, pair } from "./stand-in.ts"

/** Lets sockets do their work between two turns of the clock. */
const turn = Effect.promise(() => new Promise<void>((done) => setImmediate(done)))

describe("a further try", () => {
  it.effect("comes after a 500 and gives the good answer alone", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer, _, n) => {
        answer.writeHead(n === 1 ? 500 : 200)
        answer.end(String(n))
      })
      const result = yield* exchange(get())
      assert.strictEqual(result.status, 200)
      assert.strictEqual(Buffer.from(result.body).toString(), "2")
      assert.lengthOf(requests, 2)
    })
  )

  it.effect("comes after a reset connection", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer, _, n) => {
        if (n < 3) answer.socket?.resetAndDestroy()
        else answer.end("ok")
      })
      assert.strictEqual(Buffer.from((yield* exchange(get())).body).toString(), "ok")
      assert.lengthOf(requests, 3)
    })
  )

  it.effect("comes twice at most; the last answer stands", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer) => {
        answer.writeHead(503)
        answer.end("down")
      })
      const result = yield* exchange(get())
      assert.strictEqual(result.status, 503)
      assert.strictEqual(Buffer.from(result.body).toString(), "down")
      assert.lengthOf(requests, 3)
    })
  )

  it.effect("waits as long as Retry-After asks", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer, _, n) => {
        answer.writeHead(n === 1 ? 429 : 200, n === 1 ? { "retry-after": "15" } : {})
        answer.end()
      })
      const fiber = yield* Effect.forkChild(exchange(get()), { startImmediately: true })
      let waited = 0
      while (fiber.pollUnsafe() === undefined) {
        yield* turn
        // The clock stands until the first answer is on its way, so that nothing else can use the time up.
        if (requests.length === 1) {
          yield* TestClock.adjust("100 millis")
          waited = yield* Clock.currentTimeMillis
        }
      }
      assert.strictEqual((yield* Fiber.join(fiber)).status, 200)
      assert.isAtLeast(waited, 15_000)
    })
  )

  it.effect("is not made where Retry-After is beyond the limit", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer) => {
        answer.writeHead(429, { "retry-after": "86400" })
        answer.end()
      })
      const result = yield* exchange(get())
      assert.strictEqual(result.status, 429)
      assert.strictEqual(result.headers["retry-after"], "86400")
      assert.lengthOf(requests, 1)
    })
  )
})

describe("waitBefore", () => {
  const broken = { trouble: new TransportError({ kind: "broken", detail: "" }) }
  const answered = (status: number, retry?: string) => ({
    status,
    headers: retry === undefined ? {} : { "retry-after": retry }
  })
  const now = Date.parse("2026-11-21T12:00:00Z")

  it("doubles, with a spread of a quarter to both sides", () => {
    assert.strictEqual(waitBefore(broken, 1, now, defaults, 0.5), 500)
    assert.strictEqual(waitBefore(broken, 2, now, defaults, 0.5), 1000)
    assert.strictEqual(waitBefore(answered(502), 1, now, defaults, 0), 375)
    assert.strictEqual(waitBefore(answered(502), 1, now, defaults, 1), 625)
    assert.isUndefined(waitBefore(broken, 3, now, defaults, 0.5))
  })

  it("lets refusals, time-outs and limits stand", () => {
    for (const status of [200, 304, 400, 403, 404, 418]) {
      assert.isUndefined(waitBefore(answered(status, "1"), 1, now, defaults, 0.5))
    }
    for (const kind of ["slow", "limit", "refused"] as const) {
      assert.isUndefined(
        waitBefore({ trouble: new TransportError({ kind, detail: "" }) }, 1, now, defaults, 0.5)
      )
    }
  })

  it("takes seconds and HTTP dates, and nothing else, for Retry-After", () => {
    assert.strictEqual(retryAfter("7", now), 7000)
    assert.strictEqual(retryAfter("Sat, 21 Nov 2026 12:00:09 GMT", now), 9000)
    assert.strictEqual(retryAfter("Sat, 21 Nov 2026 11:00:00 GMT", now), 0)
    for (const text of ["-5", "soon", "1e9", "", "1.5", undefined]) assert.isUndefined(retryAfter(text, now))
    assert.strictEqual(waitBefore(answered(429, "9"), 1, now, defaults, 0.5), 9000)
    assert.isUndefined(waitBefore(answered(429, "99999999999999999999"), 1, now, defaults, 0.5))
    assert.isUndefined(waitBefore(answered(503, "Fri, 31 Dec 9999 23:59:59 GMT"), 1, now, defaults, 0.5))
  })
})

describe("a host", () => {
  it.effect("gets so many requests at a time and no more", () =>
    Effect.gen(function* () {
      const waiting: Array<() => void> = []
      let most = 0
      const { exchange } = yield* pair(
        (answer) => {
          waiting.push(() => answer.end("ok"))
          most = Math.max(most, waiting.length)
        },
        { limits: { perHost: 2, perSecond: 100 } }
      )
      const fiber = yield* Effect.forkChild(
        Effect.forEach([1, 2, 3, 4, 5, 6], (n) => exchange(get(`/${n}`)), { concurrency: "unbounded" })
      )
      while (fiber.pollUnsafe() === undefined) {
        while (waiting.length < 2 && fiber.pollUnsafe() === undefined) yield* turn
        for (const answer of waiting.splice(0)) answer()
      }
      assert.lengthOf(yield* Fiber.join(fiber), 6)
      assert.strictEqual(most, 2)
    })
  )

  it.effect("gets so many requests per second and no more", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer) => answer.end("ok"), { limits: { perSecond: 2 } })
      const fiber = yield* Effect.forkChild(
        Effect.forEach([1, 2, 3, 4], (n) => exchange(get(`/${n}`)), { concurrency: "unbounded" })
      )
      while (requests.length < 2) yield* turn
      for (let n = 0; n < 20; n++) yield* turn
      assert.lengthOf(requests, 2)
      yield* TestClock.adjust("1 second")
      assert.lengthOf(yield* Fiber.join(fiber), 4)
    })
  )

  it.effect("gets no more in any stretch of its limit's time, retries among them", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const clock = yield* Clock.Clock
      const { exchange } = yield* pair(
        (answer) => {
          times.push(clock.currentTimeMillisUnsafe())
          answer.writeHead(times.length === 1 ? 500 : 200)
          answer.end("ok")
        },
        { limits: { perSecond: 100, perHost: 100 }, allowed: [{ calls: 5, per: "1 minute" }] }
      )
      const fiber = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 11 }, (_, n) => n),
          (n) => exchange(get(`/${n}`)),
          {
            concurrency: "unbounded"
          }
        )
      )
      // Two go at once, so that a run of two calls never waits.
      while (times.length < 2) yield* turn
      while (fiber.pollUnsafe() === undefined) {
        for (let n = 0; n < 5; n++) yield* turn
        yield* TestClock.adjust("1 second")
      }
      assert.lengthOf(times, 12)
      for (const from of times) {
        assert.isAtMost(times.filter((at) => at >= from && at < from + 60_000).length, 5)
      }
    })
  )

  it.effect("is not waited for where its limit is over an hour: the manifests' cadence holds that", () =>
    Effect.gen(function* () {
      const { exchange } = yield* pair((answer) => answer.end("ok"), {
        limits: { perSecond: 100 },
        allowed: [{ calls: 1, per: "1 hour" }]
      })
      assert.lengthOf(yield* Effect.forEach([1, 2, 3], (n) => exchange(get(`/${n}`))), 3)
    })
  )

  it.effect("is left alone after failures in a row, tried once, and used again", () =>
    Effect.gen(function* () {
      let sound = false
      const { requests, exchange } = yield* pair(
        (answer) => {
          answer.writeHead(sound ? 200 : 500)
          answer.end()
        },
        { limits: { failures: 3, retries: 0, open: "30 seconds", perSecond: 100 } }
      )
      for (let n = 0; n < 3; n++) assert.strictEqual((yield* exchange(get())).status, 500)
      const error = yield* Effect.flip(exchange(get()))
      assert.include(error.message, "api.sample.test failed too often; no requests for 30 s")
      assert.lengthOf(requests, 3)
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual((yield* exchange(get())).status, 500)
      assert.strictEqual((yield* Effect.flip(exchange(get())))._tag, "UpstreamUnreachable")
      sound = true
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* exchange(get())).status, 200)
      assert.strictEqual((yield* exchange(get())).status, 200)
      assert.lengthOf(requests, 6)
    })
  )

  it.effect("that is being retried keeps other requests waiting for the outcome", () =>
    Effect.gen(function* () {
      const waiting: Array<() => void> = []
      let sound = false
      const { requests, exchange } = yield* pair(
        (answer) => {
          if (sound) waiting.push(() => answer.end("ok"))
          else answer.writeHead(500).end()
        },
        { limits: { failures: 1, retries: 0, open: "30 seconds", perSecond: 100 } }
      )
      yield* exchange(get())
      yield* TestClock.adjust("31 seconds")
      sound = true
      const fiber = yield* Effect.forkChild(
        Effect.forEach([1, 2, 3], (n) => exchange(get(`/${n}`)), { concurrency: "unbounded" })
      )
      while (waiting.length < 1) yield* turn
      for (let n = 0; n < 5; n++) {
        yield* TestClock.adjust("200 millis")
        yield* turn
      }
      assert.lengthOf(requests, 2)
      while (fiber.pollUnsafe() === undefined) {
        for (const answer of waiting.splice(0)) answer()
        yield* turn
        yield* TestClock.adjust("200 millis")
      }
      assert.deepStrictEqual(
        (yield* Fiber.join(fiber)).map(({ status }) => status),
        [200, 200, 200]
      )
    })
  )

  it.effect("is not blamed for what we refuse", () =>
    Effect.gen(function* () {
      const { exchange } = yield* pair(
        (answer, { url }) => {
          if (url === "/away") answer.writeHead(302, { location: "https://elsewhere.test/" })
          answer.end("ok")
        },
        { limits: { failures: 2 } }
      )
      for (let n = 0; n < 4; n++) yield* Effect.flip(exchange(get("/away")))
      assert.strictEqual((yield* exchange(get())).status, 200)
    })
  )
})

describe("a conditional request", () => {
  it.effect("that is answered by 304 gives the body it confirms, with its hash", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer, { headers }, n) => {
        if (headers["if-none-match"] === '"one"') {
          answer.writeHead(304, { etag: '"one"', "last-modified": "Sat, 21 Nov 2026 11:30:00 GMT" })
          answer.end()
        } else {
          answer.writeHead(200, {
            etag: '"one"',
            "last-modified": "Sat, 21 Nov 2026 11:00:00 GMT",
            "content-type": "application/json",
            age: "600"
          })
          answer.end(`{"n":${n}}`)
        }
      })
      const first = yield* exchange(get())
      const second = yield* exchange(get())
      assert.isUndefined(first.confirmed)
      assert.isTrue(second.confirmed)
      assert.strictEqual(second.status, 200)
      assert.strictEqual(second.sha256, first.sha256)
      assert.deepStrictEqual(second.body, first.body)
      assert.strictEqual(second.headers["content-type"], "application/json")
      assert.strictEqual(first.headers["age"], "600")
      assert.isUndefined(second.headers["age"], "it is confirmed now")
      assert.strictEqual(second.headers["last-modified"], "Sat, 21 Nov 2026 11:30:00 GMT")
      assert.strictEqual(requests[1]?.headers["if-modified-since"], "Sat, 21 Nov 2026 11:00:00 GMT")
      assert.isUndefined(requests[0]?.headers["if-none-match"])
    })
  )

  it.effect("is not made for another URL, a POST, or an answer that is no longer kept", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair(
        (answer) => {
          answer.writeHead(200, { etag: '"one"' })
          answer.end("x".repeat(60))
        },
        { limits: { earlierBytes: 100 } }
      )
      yield* exchange(get("/a"))
      yield* exchange({ ...get("/a"), method: "POST", body: "" })
      yield* exchange(get("/b"))
      yield* exchange(get("/a"))
      assert.deepStrictEqual(
        requests.map(({ headers }) => headers["if-none-match"]),
        [undefined, undefined, undefined, undefined]
      )
      yield* exchange(get("/a"))
      assert.strictEqual(requests[4]?.headers["if-none-match"], '"one"')
    })
  )

  it.effect("that was not made makes a 304 no answer", () =>
    Effect.gen(function* () {
      const { exchange } = yield* pair((answer) => {
        answer.writeHead(304)
        answer.end()
      })
      assert.include(
        (yield* Effect.flip(exchange(get()))).message,
        "status 304, not modified, for a request without a condition"
      )
    })
  )
})
