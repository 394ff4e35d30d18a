/** The clock of the database, beside that of this machine. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import {
  clockMismatch,
  clockReasons,
  DatabaseClock,
  layer as databaseClock
} from "../../core/clock/DatabaseClock.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { captureLog } from "../support/captureLog.ts"
import { postgres } from "../support/database.ts"

const real = Clock.Clock.defaultValue()

/** This machine's clock, off by what a test says. */
const offBy = (off: { millis: number }): Clock.Clock => {
  const millis = () => real.currentTimeMillisUnsafe() + off.millis
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: () => BigInt(millis()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(millis()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
}

const timeRows = rowsOf({ now: Schema.Date })

layer(postgres)("on Postgres", (it) => {
  /** What a process with this clock has, and the time of Postgres. */
  const processOf = (off: { millis: number }) =>
    Effect.map(
      Layer.build(databaseClock).pipe(Effect.provideService(Clock.Clock, offBy(off))),
      (context) => ({
        now: Effect.provide(Clock.currentTimeMillis, context),
        reasons: Effect.provide(clockReasons, context),
        ...Context.get(context, DatabaseClock)
      })
    )
  /** How far a process is from the time of Postgres, milliseconds. */
  const from = (now: Effect.Effect<number>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = yield* now
      const [row] = yield* sql`select clock_timestamp() as now`.pipe(timeRows)
      const after = yield* now
      const time = row?.now.getTime() ?? 0
      return time < before ? time - before : Math.max(0, time - after)
    })

  for (const millis of [300_000, -300_000, 86_400_000, -3_000]) {
    it.effect(`is the time of a process whose own clock is off by ${millis} ms, and says so`, () =>
      Effect.gen(function* () {
        const { difference, now, reasons } = yield* processOf({ millis })
        const { ahead = 0, within = 0 } = (yield* difference) ?? {}
        assert.closeTo(ahead, millis, within + 1)
        assert.isAtMost(Math.abs(yield* from(now)), within + 1)
        const [reason] = yield* reasons
        assert.strictEqual(reason?.code, "clock_differs")
        assert.include(
          reason?.message,
          millis > 0 ? "ahead of that of its database" : "behind that of its database"
        )
      })
    )
  }

  it.effect("is the same as that of a process whose clock is right", () =>
    Effect.gen(function* () {
      const { difference, now, reasons } = yield* processOf({ millis: 0 })
      assert.deepStrictEqual(yield* reasons, [])
      assert.isAtMost(Math.abs(yield* from(now)), ((yield* difference)?.within ?? 0) + 1)
    })
  )

  it.effect("goes on when the clock of the machine jumps, which counts at once", () =>
    Effect.gen(function* () {
      const off = { millis: 0 }
      const { difference, now, reasons } = yield* processOf(off)
      const within = (yield* difference)?.within ?? 0
      for (const millis of [15_000, -3_600_000, 365 * 86_400_000]) {
        off.millis = millis
        assert.isAtMost(Math.abs(yield* from(now)), within + 1)
        assert.strictEqual((yield* reasons).length, 1)
      }
      off.millis = 0
      assert.deepStrictEqual(yield* reasons, [])
    })
  )

  it.effect("is told in the log once", () =>
    Effect.gen(function* () {
      const { lines, logger } = captureLog()
      yield* Effect.provide(processOf({ millis: 60_000 }), logger)
      assert.lengthOf(
        lines.filter((line) => line.includes("s ahead of that of its database")),
        1
      )
    })
  )
})

describe("a difference", () => {
  it("is a fault from two seconds on, whatever the round trip may hide", () => {
    assert.isUndefined(clockMismatch({ ahead: 2000, within: 0 }))
    assert.isDefined(clockMismatch({ ahead: 2001, within: 0 }))
    assert.isDefined(clockMismatch({ ahead: -2001, within: 0 }))
    assert.isUndefined(clockMismatch({ ahead: 2500, within: 500 }))
    assert.isDefined(clockMismatch({ ahead: -2501, within: 500 }))
  })

  it.effect("is none where nobody compares: the embedded engine has this machine's clock", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* (yield* DatabaseClock).difference)
      assert.deepStrictEqual(yield* clockReasons, [])
    })
  )
})
