/** Figures at fixed places of an answer: what is read, what is not measured, and what is refused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { type Place, read, type Source } from "../../core/plugin/shapes/figures.ts"
import { Upstream } from "../../core/plugin/Upstream.ts"

const at = Date.parse("2026-11-22T08:30:00Z")

const readResult = (body: unknown, source: Omit<Source<"n">, "ask">) =>
  Effect.result(read({ ask: "https://a.test/", ...source })).pipe(
    Effect.provideService(
      Upstream,
      Upstream.of({
        now: at,
        targets: [],
        settings: {},
        exchange: (request) =>
          Effect.succeed({
            request,
            at,
            status: 200,
            headers: {},
            sha256: "",
            body: new TextEncoder().encode(JSON.stringify(body))
          })
      })
    )
  )

const figure = (body: unknown, place: Place) =>
  Effect.map(readResult(body, { figures: { n: place } }), (result) =>
    Result.isSuccess(result) ? result.success.values.n : result.failure.message
  )

describe("a figure", () => {
  it.effect("is the number at its place, exact where it is text, and moved by its decimals", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* figure({ a: { b: 7 } }, { number: ["a", "b"] }), 7)
      assert.strictEqual(yield* figure({ a: "9007199254740993" }, { number: ["a"] }), "9007199254740993")
      assert.strictEqual(yield* figure({ a: "1500000" }, { number: ["a"], decimals: 6 }), "1.5")
      assert.strictEqual(yield* figure({ a: 0 }, { number: ["a"] }), 0)
    })
  )

  it.effect("counts each entry of a list once, and only those that are wanted", () =>
    Effect.gen(function* () {
      const list = [
        { id: 1, on: true },
        { id: 1, on: true },
        { id: 2, on: false }
      ]
      assert.strictEqual(yield* figure({ list }, { entries: ["list"], by: ["id"] }), 2)
      const where = { at: ["on"], is: [true] }
      assert.strictEqual(yield* figure({ list }, { entries: ["list"], by: ["id"], where }), 1)
      assert.isUndefined(yield* figure({ list: [...list, { id: 3 }] }, { entries: ["list"], where }))
      assert.isUndefined(yield* figure({ list: [...list, { id: 3, on: "" }] }, { entries: ["list"], where }))
      for (const id of ["x", -5, 0.5, null]) {
        assert.isUndefined(yield* figure({ list: [...list, { id }] }, { entries: ["list"], by: ["id"] }))
      }
      assert.strictEqual(yield* figure({ list: ["a", "b", "a"] }, { entries: ["list"], by: [] }), 2)
      assert.strictEqual(yield* figure({ a: 1, b: 2 }, { sum: [], of: [] }), 3)
      assert.isUndefined(yield* figure({ list: [{ n: 1 }, {}] }, { sum: ["list"], of: ["n"] }))
    })
  )

  it.effect("is refused where the list is empty or may be cut, or nothing is there", () =>
    Effect.gen(function* () {
      assert.include(String(yield* figure({ list: [] }, { entries: ["list"] })), "the list is empty")
      assert.strictEqual(yield* figure({ list: [] }, { entries: ["list"], mayBeEmpty: true }), 0)
      const cut = yield* figure({ list: [1, 2] }, { entries: ["list"], most: 2 })
      assert.include(String(cut), "the list may be cut")
      assert.include(String(yield* figure({ other: 1 }, { number: ["a"] })), "none of n is there")
    })
  )
})

describe("an answer", () => {
  it.effect("about somebody else gives nothing", () =>
    Effect.gen(function* () {
      const must = { at: ["netuid"], be: 96 }
      const result = yield* readResult({ netuid: 4, n: 1 }, { figures: { n: { number: ["n"] } }, must })
      assert.include(Result.isFailure(result) ? result.failure.message : "", "4 instead of 96")
    })
  )

  it.effect("about a whole day is true at the day's end", () =>
    Effect.gen(function* () {
      const source = { figures: { n: { number: ["n"] } }, as_of: ["t"], daily: true } as const
      const result = yield* readResult({ t: "2026-11-21T00:00:00.000Z", n: 1 }, source)
      const end = Date.parse("2026-11-21T23:59:59.999Z")
      assert.strictEqual(Result.isSuccess(result) ? result.success.as_of : undefined, end)
    })
  )

  it.effect("is true at the time that it tells, in seconds, milliseconds or ISO 8601", () =>
    Effect.gen(function* () {
      for (const t of [1_795_336_200, 1_795_336_200_000, "2026-11-22T08:30:00Z"]) {
        const result = yield* readResult({ t, n: 1 }, { figures: { n: { number: ["n"] } }, as_of: ["t"] })
        assert.strictEqual(Result.isSuccess(result) ? result.success.as_of : undefined, at, String(t))
      }
    })
  )
})
