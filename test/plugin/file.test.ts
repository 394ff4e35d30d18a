import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { file } from "../../core/plugin/shapes/file.ts"
import { answers } from "../support/cannedUpstream.ts"

const url = "https://stats.example/nodes.json"
const read = (headers: Readonly<Record<string, string>>) =>
  file(url, Schema.Struct({ n: Schema.Natural })).pipe(
    Effect.provide(answers([{ request: url, headers, body: { n: 1 } }]))
  )

describe("a static file", () => {
  it.effect("is as old as its last change", () =>
    Effect.gen(function* () {
      const { answer, facts } = yield* read({
        date: "Sat, 05 Sep 2026 10:58:30 GMT",
        "last-modified": "Fri, 04 Sep 2026 03:00:00 GMT"
      })
      assert.deepStrictEqual(answer.body, { n: 1 })
      assert.strictEqual(facts.as_of, Date.parse("2026-09-04T03:00:00Z"))
    })
  )

  it.effect.each([{}, { "last-modified": "yesterday" }])("is not dated by %j", (headers) =>
    Effect.gen(function* () {
      assert.isUndefined((yield* read(headers)).facts.as_of)
    })
  )
})
