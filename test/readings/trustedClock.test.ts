/** When a clock is trusted with what cannot be undone. Processes come and go; each has a memory of its own. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { removing } from "../../core/readings/removing.ts"
import { ifTrusted, TrustedClock, Witnesses } from "../../core/readings/TrustedClock.ts"
import { type Difference, UpstreamClock } from "../../core/readings/UpstreamClock.ts"
import { captureLog } from "../support/captureLog.ts"
import { onBothEngines } from "../support/database.ts"
import { ahead } from "../support/shiftedClock.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const noon = Date.UTC(2026, 8, 5, 12)

/** Jumps from minutes to years. */
const jumps = [10 * minute, 3 * hour, 2 * day, 400 * day, 3650 * day]

onBothEngines("a clock", (database) => {
  layer(database)((it) => {
    /** The upstreams' time, as far as a test has them tell it. */
    let difference: Difference | undefined
    const process = TrustedClock.layer.pipe(
      Layer.provide(
        Layer.mock(UpstreamClock)({ difference: Effect.sync(() => Option.fromUndefinedOr(difference)) })
      )
    )
    /** Does something in a process that starts for it. */
    const inNew = <A, E, R>(work: Effect.Effect<A, E, R | TrustedClock>) =>
      Effect.provide(work, Layer.fresh(process), { local: true })
    const trusted = Effect.flatMap(TrustedClock, (clock) => clock.trusted)
    const doubt = Effect.flatMap(TrustedClock, (clock) => clock.doubt)
    const confirm = Effect.flatMap(TrustedClock, (clock) => clock.confirm)

    const trying = <A, E>(name: string, body: Effect.Effect<A, E, SqlClient.SqlClient>) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          difference = undefined
          yield* sql`truncate fact, checkpoint, latest cascade`
          yield* TestClock.setTime(noon)
          return yield* body
        })
      )

    trying(
      "is trusted in a new database, and by a process that starts within a day of the last one",
      Effect.gen(function* () {
        assert.isTrue(yield* inNew(trusted))
        yield* TestClock.adjust("23 hours")
        assert.isTrue(yield* inNew(trusted))
        yield* TestClock.adjust("23 hours")
        assert.isTrue(yield* inNew(trusted))
      })
    )

    for (const jump of jumps) {
      trying(
        `is not trusted at the start if it is ${jump / day} days ahead or behind, and leaves no mark`,
        Effect.gen(function* () {
          assert.isTrue(yield* inNew(trusted))
          // A service may be off for a day.
          assert.strictEqual(yield* inNew(trusted).pipe(ahead(-jump)), false)
          if (jump <= day) return
          assert.isFalse(yield* inNew(trusted).pipe(ahead(jump)))
          const reason = yield* inNew(doubt).pipe(ahead(jump))
          assert.match(
            reason ?? "",
            /^the system clock is \d+d ahead of 2026-09-05T12:00:00Z, when this service/
          )
          assert.include(reason, "plumbline clock confirm")
          assert.isTrue(yield* inNew(trusted), "once it is right")
        })
      )

      trying(
        `is not trusted if it is set ahead or back by ${jump / day} days while a process runs`,
        inNew(
          Effect.gen(function* () {
            assert.isTrue(yield* trusted)
            for (const set of [jump, -jump]) {
              assert.isFalse(yield* trusted.pipe(ahead(set)), String(set))
              assert.match((yield* doubt) ?? "", /^the system clock (was set by|is) .*\d/)
              yield* TestClock.adjust("3 minutes")
              assert.isFalse(yield* trusted.pipe(ahead(set)), "it does not become right by itself")
              assert.isTrue(yield* trusted, "once it is right")
              assert.isUndefined(yield* doubt)
            }
          })
        )
      )
    }

    /** What a process with this clock would date an answer with. */
    const stamped = Effect.gen(function* () {
      const clock = yield* TrustedClock
      return clock.stamp(yield* Clock.currentTimeMillis)
    })

    trying(
      "that is in doubt dates nothing later than what is trusted, and time goes on from there",
      Effect.gen(function* () {
        assert.isTrue(yield* inNew(trusted))
        const own = yield* Clock.Clock
        // A process that starts with it.
        yield* inNew(
          Effect.gen(function* () {
            assert.isFalse(yield* trusted)
            assert.strictEqual(yield* stamped, noon)
            yield* Effect.provideService(TestClock.adjust("3 minutes"), Clock.Clock, own)
            assert.strictEqual(yield* stamped, noon + 3 * minute)
            assert.isFalse(yield* trusted)
            assert.strictEqual(yield* stamped, noon + 3 * minute)
          }).pipe(ahead(400 * day))
        ).pipe(ahead(400 * day))
        const begun = yield* Clock.currentTimeMillis
        yield* inNew(
          Effect.gen(function* () {
            assert.isTrue(yield* trusted)
            assert.strictEqual(yield* stamped, begun)
            // Set ahead while it runs: at once, though the next look is up to a minute away.
            assert.strictEqual(yield* stamped.pipe(ahead(400 * day)), begun)
            assert.isFalse(yield* trusted.pipe(ahead(400 * day)))
            assert.strictEqual(yield* stamped.pipe(ahead(400 * day)), begun)
            // Behind, it only says what it has.
            assert.isFalse(yield* trusted.pipe(ahead(-3 * hour)))
            assert.strictEqual(yield* stamped.pipe(ahead(-3 * hour)), begun - 3 * hour)
            assert.isTrue(yield* trusted)
            yield* TestClock.adjust("3 minutes")
            assert.strictEqual(yield* stamped, begun + 3 * minute)
            // The upstreams say how far it is ahead.
            difference = { ahead: 3 * hour, hosts: 3 }
            assert.isFalse(yield* trusted)
            assert.strictEqual(yield* stamped, begun + 3 * minute - 3 * hour)
          })
        )
      })
    )

    trying(
      "is trusted however long a process runs without a look at it",
      inNew(
        Effect.gen(function* () {
          for (const wait of ["1 minute", "10 days", "400 days"] as const) {
            yield* TestClock.adjust(wait)
            assert.isTrue(yield* trusted, wait)
          }
        })
      )
    )

    trying(
      "that is wrong is not confirmed by the rows and heads that it wrote itself",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.isTrue(yield* inNew(trusted))
        yield* sql`insert into checkpoint ${sql.insert({ size: 1, root: "00", note: "n", signed_at: new Date(noon + 400 * day) })}`
        assert.isFalse(yield* inNew(trusted).pipe(ahead(400 * day)))
        assert.isTrue(yield* inNew(trusted))
      })
    )

    trying(
      "is compared with the newest head while none was confirmed: in a database of an earlier version",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into checkpoint ${sql.insert({ size: 1, root: "00", note: "n", signed_at: new Date(noon) })}`
        assert.isFalse(yield* inNew(trusted).pipe(ahead(400 * day)))
        assert.isFalse(yield* inNew(trusted).pipe(ahead(-hour)))
        assert.isTrue(yield* inNew(trusted).pipe(ahead(hour)))
      })
    )

    trying(
      "is borne out by the upstreams after months, and not trusted against them",
      Effect.gen(function* () {
        assert.isTrue(yield* inNew(trusted))
        yield* TestClock.adjust("200 days")
        yield* inNew(
          Effect.gen(function* () {
            assert.isFalse(yield* trusted)
            difference = { ahead: 2000, hosts: 3 }
            assert.isTrue(yield* trusted)
            difference = { ahead: -2 * hour, hosts: 5 }
            assert.isFalse(yield* trusted)
            assert.strictEqual(
              yield* doubt,
              "the system clock is 2h behind the upstreams' (median of 5 hosts); set the clock"
            )
            assert.strictEqual(yield* confirm, yield* doubt, "an operator is not believed against them")
            difference = undefined
            assert.isTrue(yield* trusted)
          })
        )
      })
    )

    trying(
      "is borne out by the upstreams where a wrong one was trusted before",
      Effect.gen(function* () {
        assert.isTrue(yield* inNew(trusted).pipe(ahead(20 * hour)), "within a day nobody can tell")
        assert.isFalse(yield* inNew(trusted))
        difference = { ahead: 0, hosts: 3 }
        assert.isTrue(yield* inNew(trusted))
        difference = undefined
        assert.isTrue(yield* inNew(trusted))
      })
    )

    trying(
      "is confirmed by an operator, for every process",
      Effect.gen(function* () {
        assert.isTrue(yield* inNew(trusted))
        for (const off of [400 * day, -400 * day]) {
          yield* inNew(
            Effect.gen(function* () {
              assert.isFalse(yield* trusted)
              assert.isUndefined(yield* inNew(confirm), "by a command of its own")
              assert.isTrue(yield* trusted)
            })
          ).pipe(ahead(off))
          yield* inNew(confirm)
        }
      })
    )

    trying(
      "waits at the start for the upstreams, unless the service was off for a moment only",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const patient = <A, E, R>(work: Effect.Effect<A, E, R | TrustedClock>) =>
          Effect.provideService(inNew(work), Witnesses, {
            database: false,
            upstreams: true,
            gracePeriod: 10 * minute
          })
        assert.isTrue(yield* patient(trusted), "a new database")
        assert.isTrue(yield* patient(trusted), "a restart")
        yield* TestClock.adjust("3 hours")
        yield* patient(
          Effect.gen(function* () {
            assert.isFalse(yield* trusted)
            assert.isUndefined(yield* doubt)
            yield* TestClock.adjust("10 minutes")
            assert.isTrue(yield* trusted)
          })
        )
        yield* TestClock.adjust("3 hours")
        difference = { ahead: 0, hosts: 3 }
        assert.isTrue(yield* patient(trusted))
        assert.strictEqual((yield* sql`select 1 from fact`).length, 1)
      })
    )

    trying(
      "is not trusted against that of a server, which does not bear it out either",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const beside = <A, E, R>(work: Effect.Effect<A, E, R | TrustedClock>) =>
          Effect.provideService(inNew(work), Witnesses, { database: true, upstreams: true, gracePeriod: 0 })
        yield* TestClock.setTime(Date.now())
        assert.isTrue(yield* beside(trusted))
        for (const jump of jumps) {
          for (const set of [jump, -jump]) {
            yield* beside(
              Effect.gen(function* () {
                assert.isFalse(yield* trusted)
                assert.match((yield* doubt) ?? "", /(ahead of|behind) Postgres's; set the one that is wrong$/)
                assert.isDefined(yield* confirm)
              })
            ).pipe(ahead(set))
          }
        }
        yield* sql`update fact set value = (value::float8 - ${400 * day})::text`
        assert.isFalse(yield* beside(trusted), "both may run on one machine")
        difference = { ahead: 0, hosts: 3 }
        assert.isTrue(yield* beside(trusted))
      })
    )

    trying(
      "in doubt is logged when it begins and when it ends, not with each look",
      Effect.gen(function* () {
        const { lines, logger } = captureLog()
        yield* inNew(
          Effect.gen(function* () {
            for (let n = 0; n < 5; n++) {
              yield* TestClock.adjust("1 minute")
              yield* trusted.pipe(ahead(hour))
            }
            assert.strictEqual(lines.length, 1)
            yield* trusted
            yield* trusted
          })
        ).pipe(Effect.provide(logger))
        assert.deepStrictEqual(
          lines.map((line) => line.split(":")[0]?.trim()),
          ["nothing irreversible is done", "the system clock is trusted again"]
        )
      })
    )

    trying(
      "in doubt stops what cannot be undone, and nothing of it is done",
      inNew(
        Effect.gen(function* () {
          let done = 0
          const work = ifTrusted(Effect.sync(() => ++done))
          assert.deepStrictEqual(yield* work, Option.some(1))
          assert.deepStrictEqual(yield* work.pipe(ahead(10 * minute)), Option.none())
          assert.strictEqual(done, 1)
        })
      )
    )

    trying(
      "removes what was due a day before, in two looks that a restart does not bring together",
      Effect.gen(function* () {
        const times: Array<number> = []
        const remove = removing("things", ({ wall }) => Effect.sync(() => times.push(wall)))
        yield* inNew(remove)
        yield* TestClock.adjust("23 hours")
        yield* inNew(remove)
        assert.deepStrictEqual(times, [])
        yield* TestClock.adjust("1 hour")
        yield* inNew(remove)
        yield* inNew(remove)
        assert.deepStrictEqual(times, [noon], "as of the first look, and once")
        yield* TestClock.adjust("23 hours")
        yield* inNew(remove)
        yield* TestClock.adjust("1 hour")
        yield* inNew(remove)
        assert.deepStrictEqual(times, [noon, noon + day])
      })
    )

    trying(
      "that is wrong neither removes nor brings the second look nearer",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        let removed = 0
        const remove = removing("things", () => Effect.sync(() => removed++))
        yield* inNew(remove)
        for (const jump of jumps.filter((jump) => jump > day)) {
          yield* inNew(Effect.andThen(remove, remove)).pipe(ahead(jump))
          yield* inNew(Effect.andThen(remove, remove)).pipe(ahead(-jump))
        }
        assert.strictEqual(removed, 0)
        const now = yield* Clock.currentTimeMillis
        assert.deepStrictEqual(yield* sql`select value from fact where name = 'removal_due:things'`, [
          { value: String(now) }
        ])
        // A look by a clock that was trusted by mistake, and lies ahead: the day begins anew.
        yield* sql`update fact set value = ${String(now + 400 * day)} where name = 'removal_due:things'`
        yield* inNew(remove)
        yield* TestClock.adjust("23 hours")
        yield* inNew(remove)
        assert.strictEqual(removed, 0)
        yield* TestClock.adjust("1 hour")
        yield* inNew(remove)
        assert.strictEqual(removed, 1)
      })
    )
  })
})
