import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { LimitSettings, Limits, type Verdict } from "../../core/credits/Limits.ts"
import { secret } from "../support/credits.ts"
import { onBothEngines } from "../support/database.ts"

/** One replica of its own: it counts in its own memory. */
const replica = Layer.build(Layer.fresh(Limits.layerUnwritten)).pipe(
  Effect.map((context) => Context.get(context, Limits))
)

const times = <A>(n: number, make: () => A): ReadonlyArray<A> => Array.from({ length: n }, make)
const passed = (verdicts: ReadonlyArray<Verdict>) => verdicts.filter(({ allowed }) => allowed).length

onBothEngines("limits", (database) => {
  layer(Layer.merge(secret, database))((it) => {
    it.effect("let a burst of 120 through, then five a second, and say so", () =>
      Effect.gen(function* () {
        const limits = yield* replica
        const first = limits.keyless("203.0.113.1")
        assert.deepStrictEqual(first, {
          allowed: true,
          headers: [
            "RateLimit-Policy",
            '"minute";q=300;w=60, "day";q=1500;w=86400',
            "RateLimit",
            '"minute";r=119;t=1, "day";r=1499;t=86400'
          ]
        })
        assert.strictEqual(passed(times(150, () => limits.keyless("203.0.113.1"))), 119)
        const refused = limits.keyless("203.0.113.1")
        assert.deepInclude(refused, { allowed: false, retryAfter: 1 })
        assert.include(refused.headers[3], '"minute";r=0;')
        assert.isTrue(limits.keyless("203.0.113.2").allowed)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(passed(times(20, () => limits.keyless("203.0.113.1"))), 5)
      })
    )

    it.effect("share the day's count between replicas and over a restart", () =>
      Effect.gen(function* () {
        const one = yield* replica
        const other = yield* replica
        const spend = (limits: Limits["Service"], n: number) =>
          Effect.gen(function* () {
            let through = 0
            for (let left = n; left > 0; left -= 100) {
              through += passed(times(Math.min(left, 100), () => limits.keyless("203.0.113.3")))
              yield* TestClock.adjust("1 minute")
            }
            yield* limits.flush
            return through
          })
        assert.strictEqual(yield* spend(one, 800), 800)
        assert.strictEqual(yield* spend(other, 700), 700)
        // `one` hears of the other's 700 with its next write: the one call before it is the stated overshoot.
        assert.strictEqual(yield* spend(one, 1), 1)
        const refused = one.keyless("203.0.113.3")
        assert.isFalse(refused.allowed)
        assert.include(refused.headers[3], '"day";r=0;')

        const restarted = yield* replica
        assert.strictEqual(yield* spend(restarted, 1), 1)
        assert.isFalse(restarted.keyless("203.0.113.3").allowed)

        yield* TestClock.adjust("1 day")
        assert.isTrue(restarted.keyless("203.0.113.3").allowed)
      })
    )

    it.effect("go by the tier of a key, and are off where the operator says so", () =>
      Effect.gen(function* () {
        const limits = yield* replica
        assert.include(limits.keyed("acc_agent", "agent").headers[1], '"day";q=2000;')
        assert.include(limits.keyed("acc_partner", "design_partner").headers[1], '"day";q=100000;')
        assert.deepStrictEqual(
          limits.keyed("acc_free", "free").headers[1],
          limits.keyless("192.0.2.1").headers[1]
        )
        const off = yield* replica.pipe(
          Effect.provideService(LimitSettings, { perMinute: null, perDay: null })
        )
        assert.deepStrictEqual(
          times(2000, () => off.keyless("203.0.113.4")).find(({ allowed }) => !allowed),
          undefined
        )
      })
    )

    it.effect("are written each second without being asked", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const limits = yield* Effect.map(Layer.build(Layer.fresh(Limits.layer)), (context) =>
          Context.get(context, Limits)
        )
        const written = sql`select subject from usage where subject = 'acc_written'`
        // The first writing may still be under way: what comes after it is the second's.
        yield* limits.flush
        limits.keyed("acc_written", "agent")
        assert.deepStrictEqual(yield* written, [])
        while ((yield* written).length === 0) yield* TestClock.adjust("1 second")
      })
    )

    it.effect("keep no address that could be read", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const limits = yield* replica
        limits.keyless("203.0.113.77")
        yield* limits.flush
        const rows = yield* sql<{ row: string }>`select u::text as row from usage u`
        assert.isAbove(rows.length, 0)
        assert.notInclude(rows.map(({ row }) => row).join(), "203.0.113")
      })
    )
  })
})
