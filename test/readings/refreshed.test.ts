import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { refreshed } from "../../core/readings/read/refreshed.ts"

describe("a figure made in the background", () => {
  it.effect("is made once in each interval, however often it is read", () =>
    Effect.gen(function* () {
      let computations = 0
      const { read } = yield* refreshed(
        "made",
        "1 minute",
        Effect.sync(() => ++computations)
      )
      assert.deepStrictEqual([yield* read, yield* read], [1, 1])
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* read, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* read, 2)
    })
  )

  it.effect("is waited for before the first, and stands through a failure", () =>
    Effect.gen(function* () {
      const answers = [Exit.fail("no database"), Exit.succeed(1), Exit.die("a defect"), Exit.succeed(2)]
      const { read, refresh } = yield* refreshed(
        "answers",
        "1 minute",
        Effect.suspend((): Effect.Effect<number, string> => answers.shift() ?? Exit.succeed(3))
      )
      const first = yield* Effect.forkChild(read, { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(first), 1)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* read, 1)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* read, 2)
      yield* refresh
      assert.strictEqual(yield* read, 3)
    })
  )
})
