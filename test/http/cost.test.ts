/** What answers cost their caller: bytes as sent, and the time that the event loop and threads worked for them. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { vi } from "vitest"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Limits } from "../../core/credits/Limits.ts"
import { tiers } from "../../core/credits/tiers.ts"
import type { Time } from "../../core/process/threads/Worked.ts"
import { measured } from "../../http/delivery/processorTime.ts"
import { Service } from "../support/service.ts"
import { type Call, header, json, type Reply } from "../support/signed.ts"

/** A clock that stands but for `burn`: on a busy machine a step may take as long as it likes. */
const standingClock = Effect.acquireRelease(
  Effect.sync(() => {
    let now = 0
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now)
    return {
      clock,
      burn: (millis: number) =>
        Effect.sync(() => {
          now += millis
        })
    }
  }),
  ({ clock }) => Effect.sync(() => clock.mockRestore())
)

/** Lets the event loop turn. */
const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

describe("the processor time of an answer", () => {
  it.effect("is that of its steps and of its children, not of waiting or of others", () =>
    Effect.gen(function* () {
      const { burn } = yield* standingClock
      const [one, other]: [Time, Time] = [{ millis: 0 }, { millis: 0 }]
      const waits = Effect.all([burn(3), Effect.andThen(turn, burn(3))], { concurrency: "unbounded" })
      yield* Effect.all(
        [
          Effect.andThen(waits, turn).pipe(measured(one)),
          Effect.andThen(turn, burn(60)).pipe(measured(other))
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([one.millis, other.millis], [6, 60])
    })
  )

  it.effect("is counted once where a step of one answer runs within a step of another", () =>
    Effect.gen(function* () {
      const [outer, inner]: [Time, Time] = [{ millis: 0 }, { millis: 0 }]
      const { burn } = yield* standingClock
      yield* Effect.gen(function* () {
        yield* burn(5)
        Effect.runSync(burn(20).pipe(measured(inner)))
        yield* burn(3)
      }).pipe(measured(outer))
      assert.deepStrictEqual([inner.millis, outer.millis], [20, 8])
    })
  )
})

/** The limits of the service, so that a test can spend what a caller has. */
const services = Limits.layerUnwritten.pipe(
  Layer.provideMerge(Service.layer({ limited: true, trustProxy: 1 }))
)

layer(services)("a service that charges what answers cost", (it) => {
  const from = (network: number, more: Record<string, string> = {}) => ({
    "x-forwarded-for": `198.51.100.${network}`,
    ...more
  })
  const ask = (call: Call) => Effect.flatMap(Service, (service) => service.call(call))
  const left = (reply: Reply, quota: "millis" | "bytes" | "day") =>
    Number(new RegExp(`"${quota}";r=(\\d+)`).exec(header(reply, "ratelimit"))?.[1])

  it.effect(
    "charges the bytes that it sends, whether the answer was ready, and none of a HEAD or a 304",
    () =>
      Effect.gen(function* () {
        const path = "/v1/networks"
        const bytes = tiers.free.cost.bytesPerMinute
        const fresh = yield* ask({ path, headers: from(1) })
        assert.strictEqual(left(fresh, "bytes"), bytes)
        const ready = yield* ask({ path, headers: from(1) })
        const size = Number(header(fresh, "content-length"))
        assert.isAbove(size, 1000)
        assert.strictEqual(left(ready, "bytes"), bytes - size)
        const confirmed = yield* ask({ path, headers: from(1, { "if-none-match": header(fresh, "etag") }) })
        assert.strictEqual(confirmed.status, 304)
        assert.strictEqual(left(confirmed, "bytes"), bytes - 2 * size)
        const head = yield* ask({ method: "HEAD", path, headers: from(1) })
        const coded = yield* ask({ path, headers: from(1, { "accept-encoding": "gzip" }) })
        for (const reply of [head, coded]) assert.strictEqual(left(reply, "bytes"), bytes - 2 * size)
        const last = yield* ask({ path, headers: from(1) })
        assert.strictEqual(left(last, "bytes"), bytes - 2 * size - Number(header(coded, "content-length")))
        assert.isBelow(Number(header(coded, "content-length")), size)
      })
  )

  it.effect("charges the time of an answer that it makes", () =>
    Effect.gen(function* () {
      const millis = tiers.free.cost.millisPerMinute
      const path = "/v1/networks?query="
      assert.strictEqual(left(yield* ask({ path: `${path}x`, headers: from(2) }), "millis"), millis)
      for (let n = 0; n < 100; n++) {
        const reply = yield* ask({ path: `${path}${n}`, headers: from(2) })
        if (left(reply, "millis") < millis - 1) return
      }
      assert.fail("100 answers took no time")
    })
  )

  it.effect("refuses the call after a bucket is empty, says which, and never the world and the probes", () =>
    Effect.gen(function* () {
      const limits = yield* Limits
      for (const [network, quota, cost, advice] of [
        [3, "millis", { millis: 60_000, bytes: 0 }, /processor time .* ready/],
        [4, "bytes", { millis: 0, bytes: 1e9 }, /bytes .* Accept-Encoding/]
      ] as const) {
        limits.keyless(`198.51.100.${network}`).charge?.(cost)
        const refused = yield* ask({ path: "/v1/networks", headers: from(network) })
        assert.strictEqual(refused.status, 429)
        assert.deepInclude(json(refused), { error: "too_many_requests", quota })
        assert.match(String(json(refused)["message"]), advice)
        assert.strictEqual(header(refused, "retry-after"), String(json(refused)["retry_after"]))
        assert.strictEqual(left(refused, quota), 0)
        assert.include(header(refused, "ratelimit-policy"), `"${quota}";q=`)
        // A key that nobody has is no way around it.
        const key = { "x-api-key": `plk_${"k".repeat(43)}` }
        assert.strictEqual((yield* ask({ path: "/v1/networks", headers: from(network, key) })).status, 429)
        for (const path of ["/v1/world", "/health", "/readyz"]) {
          const open = yield* ask({ path, headers: from(network) })
          assert.strictEqual(open.status, 200, path)
          assert.isUndefined(open.headers["ratelimit-policy"], path)
        }
        assert.strictEqual((yield* ask({ path: "/v1/credits/pricing", headers: from(network) })).status, 200)
        assert.strictEqual((yield* ask({ path: "/v1/networks", headers: from(90) })).status, 200)
      }
    })
  )

  it.effect("charges the account of a subscription, whose day goes on counting calls", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const limits = yield* Limits
      const { api_key } = yield* accounts.register({}, "198.51.100.5")
      const { id } = yield* accounts.authenticate(Redacted.make(api_key))
      yield* accounts.setTier(id, "pro")
      const key = { "x-api-key": api_key }
      const { cost, perDay } = tiers.pro
      limits.keyless("198.51.100.5").charge?.({ millis: 60_000, bytes: 1e9 })
      const path = "/v1/networks?limit=3"
      const first = yield* ask({ path, headers: from(5, key) })
      assert.strictEqual(first.status, 200)
      assert.strictEqual(left(first, "bytes"), cost.bytesPerMinute)
      const next = yield* ask({ path, headers: from(6, key) })
      assert.strictEqual(left(next, "bytes"), cost.bytesPerMinute - Number(header(first, "content-length")))
      assert.strictEqual(left(next, "day"), perDay - 2)
      // A body that is written to a file first is charged as it is read.
      const spooled = yield* ask({ path: "/v1/export?dataset=networks", headers: from(7, key) })
      assert.strictEqual(spooled.status, 200)
      const after = yield* ask({ path, headers: from(7, key) })
      assert.isAbove(spooled.body.length, 0)
      assert.strictEqual(left(after, "bytes"), left(spooled, "bytes") - spooled.body.length)
      limits.keyed(id, "pro", "").charge?.({ millis: 0, bytes: cost.bytesPerMinute })
      const refused = yield* ask({ path, headers: from(7, key) })
      assert.deepInclude(json(refused), { quota: "bytes" })
    })
  )
})
