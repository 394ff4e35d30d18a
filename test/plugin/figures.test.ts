/** Figures at fixed places of an answer: what is read, what is not measured, and what is refused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { read, type Source } from "../../core/plugin/shapes/figures.ts"
import type { Place } from "../../core/plugin/shapes/places.ts"
import { Unreadable } from "../../core/plugin/Unreadable.ts"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { answers } from "../support/cannedUpstream.ts"

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
  Effect.map(readResult(body, { figures: { n: place } }), (outcome) => {
    if (Result.isFailure(outcome)) return outcome.failure.message
    const { n } = outcome.success.values
    return n instanceof Unreadable ? n.reason : n
  })

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
      const untold = "an entry does not tell its on"
      assert.strictEqual(yield* figure({ list: [...list, { id: 3 }] }, { entries: ["list"], where }), untold)
      assert.strictEqual(
        yield* figure({ list: [...list, { id: 3, on: "" }] }, { entries: ["list"], where }),
        untold
      )
      for (const id of ["x", -5, 0.5, null]) {
        assert.strictEqual(
          yield* figure({ list: [...list, { id }] }, { entries: ["list"], by: ["id"] }),
          "an entry does not tell its id, by which it is counted"
        )
      }
      assert.strictEqual(yield* figure({ list: ["a", "b", "a"] }, { entries: ["list"], by: [] }), 2)
      assert.strictEqual(yield* figure({ a: 1, b: 2 }, { sum: [], of: [] }), 3)
      assert.strictEqual(
        yield* figure({ list: [{ n: 1 }, {}] }, { sum: ["list"], of: ["n"] }),
        "an entry does not tell its n"
      )
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

describe("a figure that did not come", () => {
  it.effect("says so beside those that came", () =>
    Effect.gen(function* () {
      const figures = { n: { number: ["a", "b"] }, m: { number: ["m"] } } as const
      const outcome = yield* readResult({ m: 7 }, { figures } as unknown as Omit<Source<"n">, "ask">)
      const values: { n?: unknown; m?: unknown } = Result.isSuccess(outcome) ? outcome.success.values : {}
      assert.strictEqual(values.m, 7)
      assert.strictEqual(values.n instanceof Unreadable ? values.n.reason : "", "a.b is not in the answer")
    })
  )

  it.effect("says so where one object came in the place of a list", () =>
    Effect.gen(function* () {
      assert.include(
        String(yield* figure({ run_id: "r", miners: 61 }, { entries: [], by: ["run_id"] })),
        "does not tell its run_id"
      )
    })
  )
})

describe("an error with status 200", () => {
  it.effect.each([
    [{ jsonrpc: "2.0", id: 1, error: { code: -32429, message: "rate limit exceeded" } }, -32429],
    [{ data: null, errors: [{ message: "rate limit exceeded" }] }, undefined],
    [{ error: "rate limit exceeded" }, undefined],
    [{ success: false, message: "rate limit exceeded" }, undefined]
  ] as const)("is a refusal that says it: %j", ([body, code]) =>
    Effect.gen(function* () {
      const outcome = yield* readResult(body, { figures: { n: { number: ["result", "n"] } } })
      assert.isTrue(Result.isFailure(outcome) && outcome.failure._tag === "UpstreamRefused")
      if (!Result.isFailure(outcome) || outcome.failure._tag !== "UpstreamRefused") return
      assert.include(outcome.failure.message, "rate limit exceeded")
      assert.strictEqual(outcome.failure.code, code)
    })
  )

  it.effect("of what must be said is a refusal, too", () =>
    Effect.gen(function* () {
      const must = { at: ["success"], be: true }
      const outcome = yield* readResult(
        { success: false, message: "down", n: 1 },
        { figures: { n: { number: ["n"] } }, must }
      )
      assert.include(Result.isFailure(outcome) ? outcome.failure.message : "", "down")
    })
  )

  it.effect("leads to the other addresses where it is a limit", () =>
    Effect.gen(function* () {
      const { answer, values } = yield* read({
        ask: "https://one.test/",
        others: ["https://two.test/"],
        figures: { n: { number: ["n"] } }
      }).pipe(
        Effect.provide(
          answers([
            { request: "https://one.test/", body: { error: { code: 429, message: "too many requests" } } },
            { request: "https://two.test/", body: { n: 7 } }
          ])
        )
      )
      assert.deepStrictEqual([answer.url, values.n], ["https://two.test/", 7])
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
