/** Readers that take nothing more are given up. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { abortOnStall } from "../../http/delivery/abortOnStall.ts"
import { idle } from "../../http/delivery/Spool.ts"

describe("a stream that gives readers up", () => {
  it.effect("waits from one part that is taken to the next, and not after its end", () =>
    Effect.gen(function* () {
      let abortCount = 0
      const stream = abortOnStall(
        Stream.make(1, 2, 3).pipe(Stream.rechunk(1)),
        idle,
        Effect.sync(() => {
          abortCount++
        })
      )
      const scope = yield* Scope.make()
      const take = yield* Scope.provide(Stream.toPull(stream), scope)
      for (const n of [1, 2, 3] as const) {
        assert.deepStrictEqual(yield* take, [n])
        yield* TestClock.adjust("59 seconds")
        assert.strictEqual(abortCount, 0)
      }
      yield* TestClock.adjust("1 second")
      assert.strictEqual(abortCount, 1)
      yield* Scope.close(scope, Exit.void)

      assert.deepStrictEqual(yield* Stream.runCollect(stream), [1, 2, 3])
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(abortCount, 1)
    })
  )
})
