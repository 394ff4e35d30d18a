import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { inBackground, loop } from "../../core/process/loop.ts"
import { captureLog } from "../support/captureLog.ts"

const rounds = (ends: ReadonlyArray<Effect.Effect<unknown, unknown>>) => {
  let n = 0
  const work = Effect.suspend(() => ends[n++] ?? Effect.void)
  return { work, count: () => n }
}

describe("a background loop", () => {
  it.effect("goes on after a failure, a defect, and an interruption of its own", () =>
    Effect.gen(function* () {
      const { lines, logger } = captureLog()
      const { count, work } = rounds([
        Effect.fail("no database"),
        Effect.die(new Error("a defect", { cause: new Error("what is behind it") })),
        Effect.interrupt
      ])
      yield* inBackground("the close", "1 minute", work).pipe(Effect.provide(logger))
      yield* TestClock.adjust("3 minutes")
      assert.strictEqual(count(), 4)
      assert.strictEqual(lines.length, 3)
      const [failure, defect, interruption] = lines
      assert.match(failure ?? "", /the close failed; retrying in 1m[\s\S]*no database/)
      assert.match(defect ?? "", /a defect[\s\S]*what is behind it/)
      assert.match(interruption ?? "", /interrupt/i)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(count(), 14)
    })
  )

  it.effect("that goes on failing says so once a minute, and that it no longer does", () =>
    Effect.gen(function* () {
      const { lines, logger } = captureLog()
      const { count, work } = rounds([
        ...Array.from({ length: 90 }, () => Effect.fail("a full disk")),
        Effect.fail("another")
      ])
      yield* inBackground("writing", "1 second", work).pipe(Effect.provide(logger))
      yield* TestClock.adjust("100 seconds")
      assert.strictEqual(count(), 101)
      assert.deepStrictEqual(
        lines.map((line) => /writing [a-z ]+|a full disk|another/g[Symbol.match](line)),
        [
          ["writing failed", "a full disk"],
          ["writing failed", "a full disk"],
          ["writing failed", "another"]
        ]
      )
      yield* TestClock.adjust("1 second")
    })
  )

  it.effect("ends when it is interrupted, in its work and in its wait, and logs nothing then", () =>
    Effect.gen(function* () {
      const { lines, logger } = captureLog()
      const begun = yield* Deferred.make<void>()
      const inWork = yield* loop(
        "working",
        "1 minute",
        Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      ).pipe(Effect.provide(logger), Effect.forkChild)
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(inWork)
      const { count, work } = rounds([])
      const inWait = yield* loop("waiting", "1 minute", work).pipe(
        Effect.provide(logger),
        Effect.forkChild({ startImmediately: true })
      )
      yield* Fiber.interrupt(inWait)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(count(), 1)
      assert.deepStrictEqual(lines, [])
    })
  )

  it.effect("that waits by itself waits after a failure only", () =>
    Effect.gen(function* () {
      const { logger } = captureLog()
      const inbox = yield* Queue.unbounded<number>()
      const outbox = yield* Queue.unbounded<number>()
      const work = Effect.flatMap(Queue.take(inbox), (n) =>
        n === 2 ? Effect.die(new Error("no such number")) : Queue.offer(outbox, n)
      )
      yield* inBackground("taking", { afterFailure: "1 second" }, work).pipe(Effect.provide(logger))
      yield* Queue.offerAll(inbox, [0, 1, 2, 3, 4])
      assert.deepStrictEqual([yield* Queue.take(outbox), yield* Queue.take(outbox)], [0, 1])
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(yield* Queue.size(outbox), 0)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual([yield* Queue.take(outbox), yield* Queue.take(outbox)], [3, 4])
    })
  )

  it.effect("outlives a logger that throws", () =>
    Effect.gen(function* () {
      const { logger } = captureLog(() => {
        throw new Error("no log")
      })
      const { count, work } = rounds([Effect.fail("x"), Effect.fail("y")])
      yield* inBackground("it", "1 minute", work).pipe(Effect.provide(logger))
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(count(), 3)
    })
  )
})
