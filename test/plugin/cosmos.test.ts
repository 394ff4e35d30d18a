import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { total } from "../../core/plugin/shapes/cosmos.ts"
import { answers, type Given } from "../support/answers.ts"

const url = (version: string) => `https://lcd.example/${version}/list?state=active`
const counted = (version: string) => `${url(version)}&pagination.limit=1&pagination.count_total=true`
const page = (version: string, key?: string) =>
  `${url(version)}&pagination.limit=500${key === undefined ? "" : `&pagination.key=${key}`}`
const read = (given: ReadonlyArray<Given>) =>
  Effect.map(total([url("v2"), url("v1")], "rows"), ({ total }) => total).pipe(Effect.provide(answers(given)))

describe("the length of a Cosmos list", () => {
  it.effect("is the total, also when it is 0", () =>
    Effect.gen(function* () {
      const body = (total: string) => ({ rows: [], pagination: { next_key: null, total } })
      assert.strictEqual(yield* read([{ request: counted("v2"), body: body("1700") }]), 1700)
      assert.strictEqual(yield* read([{ request: counted("v2"), body: body("0") }]), 0)
    })
  )

  it.effect.each([404, 501, 503])("comes from the next address after %s", (status) =>
    Effect.gen(function* () {
      const found = yield* read([
        { request: counted("v2"), status, body: {} },
        { request: counted("v1"), body: { rows: [{}], pagination: { next_key: "A", total: "12" } } }
      ])
      assert.strictEqual(found, 12)
    })
  )

  it.effect("is not asked for elsewhere after a refusal of the caller", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        read([
          { request: counted("v2"), status: 429, body: {} },
          { request: counted("v1"), body: { rows: [{}], pagination: { total: "12" } } }
        ])
      )
      assert.include(error.message, "status 429")
    })
  )

  it.effect("is counted over the pages where the node does not count", () =>
    Effect.gen(function* () {
      const found = yield* read([
        { request: counted("v2"), body: { rows: [{}], pagination: { next_key: "A==", total: "0" } } },
        { request: page("v2"), body: { rows: [{}, {}], pagination: { next_key: "B==" } } },
        { request: page("v2", "B%3D%3D"), body: { rows: [{}], pagination: { next_key: null } } }
      ])
      assert.strictEqual(found, 3)
    })
  )

  it.effect("is not measured where the answer has neither total nor list", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* read([{ request: counted("v2"), body: {} }]))
    })
  )

  it.effect.each([
    [{ rows: {}, pagination: { total: "1" } }, "rows"],
    [{ rows: [], pagination: { total: "NaN" } }, "total"],
    [{ rows: [], pagination: { total: 5 } }, "total"]
  ] as const)("is a changed answer for %j", ([body, place]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read([{ request: counted("v2"), body }]))
      assert.strictEqual(error._tag, "UpstreamChanged")
      assert.include(error.message, place)
    })
  )
})
