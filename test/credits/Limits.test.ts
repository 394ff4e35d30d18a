import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { LimitSettings, Limits, type Verdict } from "../../core/credits/Limits.ts"
import { tiers } from "../../core/credits/tiers.ts"
import { AccountTier } from "../../core/wire/credits/tiers.ts"
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
    it.effect("let a burst of 120 through, then five per second, and say so", () =>
      Effect.gen(function* () {
        const limits = yield* replica
        const first = limits.keyless("203.0.113.1")
        assert.isTrue(first.allowed)
        assert.deepStrictEqual(first.headers, [
          "RateLimit-Policy",
          '"burst";q=120;w=24, "minute";q=300;w=60, "day";q=1500;w=86400, ' +
            '"millis";q=6000;w=60;qu="processor-milliseconds", "bytes";q=100000000;w=60;qu="content-bytes"',
          "RateLimit",
          '"burst";r=119;t=1, "minute";r=299;t=60, "day";r=1499;t=86400, ' +
            '"millis";r=6000;t=0, "bytes";r=100000000;t=0'
        ])
        assert.strictEqual(passed(times(150, () => limits.keyless("203.0.113.1"))), 119)
        const refused = limits.keyless("203.0.113.1")
        assert.deepInclude(refused, { allowed: false, retryAfter: 1 })
        assert.include(refused.headers[3], '"burst";r=0;')
        assert.isTrue(limits.keyless("203.0.113.2").allowed)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(passed(times(20, () => limits.keyless("203.0.113.1"))), 5)
      })
    )

    it.effect("begin a new minute if the clock was set back, and no earlier", () =>
      Effect.gen(function* () {
        const noon = Date.UTC(2026, 8, 5, 12)
        yield* TestClock.setTime(noon)
        const limits = yield* replica
        const minuteLeft = () => /"minute";r=(\d+)/.exec(limits.keyless("203.0.113.9").headers[3] ?? "")?.[1]
        assert.deepStrictEqual([minuteLeft(), minuteLeft()], ["299", "298"])
        // Within the minute that was begun, backwards as well.
        yield* TestClock.setTime(noon + 30_000)
        assert.strictEqual(minuteLeft(), "297")
        yield* TestClock.setTime(noon)
        assert.strictEqual(minuteLeft(), "296")
        // Before it: otherwise the caller would wait until the clock is there again.
        yield* TestClock.setTime(noon - 3_600_000)
        assert.strictEqual(minuteLeft(), "299")
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
        assert.include(limits.keyed("acc_agent", "agent", "192.0.2.1").headers[1], '"day";q=2000;')
        assert.include(
          limits.keyed("acc_partner", "design_partner", "192.0.2.1").headers[1],
          '"day";q=100000;'
        )
        assert.deepStrictEqual(
          limits.keyed("acc_free", "free", "192.0.2.1").headers[1],
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

    it.effect("let pass exactly what they state, at any moment of a minute", () =>
      Effect.gen(function* () {
        const limits = yield* replica
        let through = 0
        for (let second = 0; second < 60; second++) {
          const first = limits.keyless("203.0.113.5")
          if (first.allowed) {
            const stated = Math.min(
              ...[...(first.headers[3] ?? "").matchAll(/r=(\d+)/g)].map(([, r]) => Number(r))
            )
            // Two thirds of it, so that the bucket is full at one time, empty at another.
            const calls = second % 3 === 0 ? stated : 0
            const accepted = passed(times(calls, () => limits.keyless("203.0.113.5")))
            assert.strictEqual(accepted, calls)
            if (calls > 0) assert.isFalse(limits.keyless("203.0.113.5").allowed)
            through += 1 + accepted
          }
          yield* TestClock.adjust("1 second")
        }
        assert.strictEqual(through, 300)
        assert.isTrue(limits.keyless("203.0.113.5").allowed)
      })
    )

    it.effect("allow a call again when Retry-After is over, and not before", () =>
      Effect.gen(function* () {
        const limits = yield* replica.pipe(Effect.provideService(LimitSettings, { perMinute: 6, perDay: 8 }))
        yield* TestClock.setTime(Date.UTC(2026, 8, 5))
        const waits: Array<number> = []
        for (let n = 0; n < 4; n++) {
          while (limits.keyless("203.0.113.6").allowed);
          const { retryAfter = 0 } = limits.keyless("203.0.113.6")
          waits.push(retryAfter)
          yield* TestClock.adjust(`${retryAfter - 1} seconds`)
          assert.isFalse(limits.keyless("203.0.113.6").allowed)
          yield* TestClock.adjust("1 second")
        }
        // First the minute is over, then the day.
        assert.deepStrictEqual(waits.slice(0, 2), [60, 86_340])
      })
    )

    it.effect(
      "count free keys for their network as well, those of a subscription only for their account",
      () =>
        Effect.gen(function* () {
          const limits = yield* replica
          const six = times(6, () => 0).flatMap((_, key) =>
            times(40, () => limits.keyed(`acc_${key}`, "free", "203.0.113.8"))
          )
          assert.strictEqual(passed(six), 120)
          assert.isFalse(limits.keyless("203.0.113.8").allowed)
          assert.isTrue(limits.keyed("acc_paid", "agent", "203.0.113.8").allowed)
          // A key that is used up is so everywhere.
          assert.strictEqual(passed(times(130, () => limits.keyed("acc_one", "free", "203.0.113.9"))), 120)
          assert.isFalse(limits.keyed("acc_one", "free", "203.0.113.10").allowed)
          assert.isTrue(limits.keyless("203.0.113.10").allowed)
        })
    )

    it.effect.each([
      ["an IPv6 /32", (wide: number, n: number) => `2001:db${wide}:${n}:1::/64`],
      ["an IPv4 /16", (wide: number, n: number) => `198.${18 + wide}.${n}.1`]
    ] as const)("count the networks of %s together, with twenty times the quota", ([, network]) =>
      Effect.gen(function* () {
        const limits = yield* replica
        const from = (wide: number) =>
          times(40, () => 0).flatMap((_, n) => times(100, () => limits.keyless(network(wide, n))))
        assert.strictEqual(passed(from(1)), 2400)
        const refused = limits.keyless(network(1, 99))
        assert.isFalse(refused.allowed)
        assert.include(refused.headers[3], '"burst";r=0;')
        assert.strictEqual(passed(from(2)), 2400)
      })
    )

    it.effect("leave paying and registering alone, and count each by itself", () =>
      Effect.gen(function* () {
        const limits = yield* replica
        const network = "203.0.113.11"
        times(200, () => limits.keyless(network))
        assert.strictEqual(passed(times(70, () => limits.account(network))), 60)
        assert.strictEqual(passed(times(70, () => limits.account(network, { id: "acc_a", tier: "free" }))), 0)
        assert.strictEqual(
          passed(times(70, () => limits.account(network, { id: "acc_b", tier: "agent" }))),
          70
        )
        assert.strictEqual(passed(times(70, () => limits.payment(network))), 60)
        assert.strictEqual(passed(times(70, () => limits.lookUp(network))), 60)
        times(20, () => limits.undoLookUp(network))
        assert.strictEqual(passed(times(70, () => limits.lookUp(network))), 20)
      })
    )

    it.effect(
      "drop who was longest not seen, also while nothing can be written",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* Effect.acquireRelease(sql`alter table usage rename to usage_away`, () =>
            Effect.orDie(sql`alter table usage_away rename to usage`)
          )
          const limits = yield* replica
          const call = (account: string) => limits.keyed(account, "agent", "203.0.113.12")
          for (const account of ["acc_seen", "acc_unseen"]) times(120, () => call(account))
          for (let n = 0; n < 100_000; n++) {
            call(`acc_${n}`)
            if (n % 50_000 === 0) assert.isFalse(call("acc_seen").allowed)
          }
          assert.isTrue(Exit.isFailure(yield* Effect.exit(limits.flush)))
          assert.isFalse(call("acc_seen").allowed)
          assert.isTrue(call("acc_unseen").allowed)
        }),
      30_000
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
        limits.keyed("acc_written", "agent", "192.0.2.1")
        assert.deepStrictEqual(yield* written, [])
        while ((yield* written).length === 0) yield* TestClock.adjust("1 second")
      })
    )

    it.effect("charge what answers cost, and refuse the call after the bucket is empty", () =>
      Effect.gen(function* () {
        const limits = yield* replica
        const { cost } = tiers.free
        for (const [quota, most, spent] of [
          ["millis", cost.millisPerMinute, { millis: cost.millisPerMinute, bytes: 0 }],
          ["bytes", cost.bytesPerMinute, { millis: 0, bytes: cost.bytesPerMinute }]
        ] as const) {
          const call = () => limits.keyless(`net ${quota}`)
          // A cost of nearly everything leaves something, and so the next call is answered, whatever that costs.
          const nearly = { millis: spent.millis * 0.99, bytes: spent.bytes * 0.99 }
          call().charge?.(nearly)
          const last = call()
          assert.isTrue(last.allowed)
          assert.include(last.headers[3], `"${quota}";r=${Math.floor(most * 0.01)};t=60`)
          last.charge?.(spent)
          const refused = call()
          assert.deepInclude(refused, { allowed: false, quota, retryAfter: 60 })
          assert.include(refused.headers[3], `"${quota}";r=0;t=120`)
          assert.isTrue(limits.keyless("another net").allowed)
          yield* TestClock.adjust("59 seconds")
          assert.isFalse(call().allowed)
          yield* TestClock.adjust("1 second")
          assert.isTrue(call().allowed)
          // It holds no more than a minute's worth, however long nobody calls.
          yield* TestClock.adjust("1 hour")
          call().charge?.(spent)
          assert.deepInclude(call(), { allowed: false, quota, retryAfter: 1 })
        }
      })
    )

    it.effect("charge an account by its tier, and a free key and its network both", () =>
      Effect.gen(function* () {
        const limits = yield* replica
        const everything = { millis: tiers.free.cost.millisPerMinute, bytes: tiers.free.cost.bytesPerMinute }
        const free = () => limits.keyed("acc_cost", "free", "203.0.113.20")
        free().charge?.(everything)
        assert.deepInclude(free(), { allowed: false })
        assert.isFalse(limits.keyless("203.0.113.20").allowed)
        // Neither another network nor another key is a way around it.
        assert.isFalse(limits.keyed("acc_cost", "free", "203.0.113.21").allowed)
        assert.isFalse(limits.keyed("acc_more", "free", "203.0.113.20").allowed)
        for (const tier of AccountTier.literals.filter((tier) => tier !== "free")) {
          const call = () => limits.keyed(`acc_${tier}`, tier, "203.0.113.20")
          call().charge?.(everything)
          assert.isTrue(call().allowed, tier)
          call().charge?.({ millis: tiers[tier].cost.millisPerMinute, bytes: 0 })
          assert.deepInclude(call(), { allowed: false, quota: "millis" }, tier)
        }
      })
    )

    it.effect("count calls per day whatever they cost, and no call that was refused for its cost", () =>
      Effect.gen(function* () {
        const limits = yield* replica.pipe(
          Effect.provideService(LimitSettings, { perMinute: 300, perDay: 10 })
        )
        const call = () => limits.keyless("203.0.113.22")
        call().charge?.({ millis: 2 * tiers.free.cost.millisPerMinute, bytes: 0 })
        assert.strictEqual(passed(times(20, call)), 0)
        assert.include(call().headers[3], '"day";r=9;')
        yield* TestClock.adjust("3 minutes")
        assert.strictEqual(passed(times(20, call)), 9)
        assert.deepInclude(call(), { allowed: false, quota: "day" })
      })
    )

    it.effect("charge pages, files of the log and accounts each by themselves, and payments never", () =>
      Effect.gen(function* () {
        const limits = yield* replica
        const network = "2001:db8:9:1::/64"
        const spent = { millis: 1e6, bytes: 1e12 }
        const calls = {
          reads: () => limits.keyless(network),
          pages: () => limits.pages(network),
          log: () => limits.log(network),
          account: () => limits.account(network)
        }
        for (const [name, call] of Object.entries(calls)) {
          assert.isTrue(call().allowed, name)
          call().charge?.(spent)
          assert.isFalse(call().allowed, name)
        }
        // Nor is another network of the same /32.
        assert.isFalse(limits.keyless("2001:db8:9:2::/64").allowed)
        limits.payment(network).charge?.(spent)
        assert.isTrue(limits.payment(network).allowed)
        assert.notInclude(limits.payment(network).headers[1], "millis")
        assert.isTrue(limits.lookUp(network).allowed)
        const off = yield* replica.pipe(
          Effect.provideService(LimitSettings, { perMinute: null, perDay: null })
        )
        off.keyless(network).charge?.(spent)
        assert.isTrue(off.keyless(network).allowed)
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
