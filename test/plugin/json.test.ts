/** What `Upstream.json` makes of a body: numbers that are none, and texts that are no JSON. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { count, number, text } from "../../core/plugin/shapes/fields.ts"
import { json } from "../../core/plugin/Upstream.ts"
import { answers } from "../support/cannedUpstream.ts"

const url = "https://stats.example/n"
const read = (body: string) =>
  Effect.map(json(url, Schema.Struct({ a: count, b: number, name: text })), (answer) => answer.body).pipe(
    Effect.provide(answers([{ request: url, body }]))
  )

describe("a JSON body", () => {
  it.effect("may hold bare numbers that are none: they were not measured", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read(`{"a":NaN,"b":-Infinity,"name":"NaN, \\"Infinity"}`), {
        a: null,
        b: null,
        name: `NaN, "Infinity`
      })
      assert.deepStrictEqual(yield* read(`{"a":7,"b":Infinity}`), { a: 7, b: null })
    })
  )

  it.effect("may begin with a byte order mark", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read(`\uFEFF{"a":7}`), { a: 7 })
    })
  )

  it.effect.each([`<html>NaN</html>`, `{"a":NaN`, `{"a":Nan}`, `{"a":undefined}`])("is not %j", (body) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read(body))
      assert.strictEqual(error._tag, "UpstreamChanged")
      assert.include(error.message, "the body is not JSON")
    })
  )

  it.effect.each([`{"a":7,"a":8}`, `{"a":7,"x":[{"n\\u0061me":1, "name" :2}]}`])(
    "with two members of one name says two things: %s",
    (body) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(read(body))
        assert.strictEqual(error._tag, "UpstreamChanged")
        assert.include(error.message, "an object has two members of one name")
      })
  )

  it.effect("may have the same name in two objects, in texts, and with marks in it", () =>
    Effect.gen(function* () {
      const body = `{"a":7,"name":"\\"a\\":1,\\\\","x":{"a":1,"b":[{"a":2},{"a":{"a":3}}]},"__proto__":{"a":4}}`
      assert.strictEqual((yield* read(body)).a, 7)
    })
  )
})
