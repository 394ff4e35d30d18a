/** What is remembered of the published record, for how long, and how much of it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { recordCache } from "../../core/log/record/recordCache.ts"
import { Changes } from "../../core/readings/Changes.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import { postgres } from "../support/database.ts"

const services = Changes.layer.pipe(Layer.provideMerge(postgres))

describe("a memory of the record", () => {
  it.effect("holds results by name until the record moves, and no failures", () =>
    Effect.gen(function* () {
      const cached = recordCache<{ readonly n: number }>(10)
      let computed = 0
      const make = Effect.sync(() => ({ n: ++computed }))
      const failed = yield* Effect.exit(cached("a", Effect.fail("no")))
      assert.isTrue(failed._tag === "Failure")
      assert.deepStrictEqual(
        [yield* cached("a", make), yield* cached("a", make), yield* cached("b", make)],
        [{ n: 1 }, { n: 1 }, { n: 2 }]
      )
      yield* (yield* Versions).changed("feeds")
      assert.deepStrictEqual(yield* cached("a", make), { n: 1 })
      yield* (yield* Versions).changed("log")
      assert.deepStrictEqual(yield* cached("a", make), { n: 3 })
    }).pipe(Effect.provide(services))
  )

  it.effect("forgets the results that were not asked for longest, a large one in the place of several", () =>
    Effect.gen(function* () {
      const cached = recordCache<{ readonly size: number }>(3, ({ size }) => size)
      const computedNames: Array<string> = []
      const ask = (name: string, size: number) =>
        cached(
          name,
          Effect.sync(() => {
            computedNames.push(name)
            return { size }
          })
        )
      for (const name of ["a", "b", "c", "a"]) yield* ask(name, 1)
      yield* ask("large", 2)
      for (const name of ["a", "large", "c"]) yield* ask(name, 1)
      assert.deepStrictEqual(computedNames, ["a", "b", "c", "large", "c"])
    }).pipe(Effect.provide(services))
  )
})
