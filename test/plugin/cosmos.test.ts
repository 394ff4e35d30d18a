import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { length, total } from "../../core/plugin/shapes/cosmos.ts"
import { declare } from "../../core/plugin/shapes/declare.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import { answers, type CannedExchange } from "../support/cannedUpstream.ts"

const url = (version: string) => `https://lcd.example/${version}/list?state=active`
const counted = (version: string) => `${url(version)}&pagination.limit=1&pagination.count_total=true`
const page = (version: string, key?: string) =>
  `${url(version)}&pagination.limit=500${key === undefined ? "" : `&pagination.key=${key}`}`
const read = (responses: ReadonlyArray<CannedExchange>) =>
  Effect.map(total([url("v2"), url("v1")], "rows"), ({ total }) => total).pipe(
    Effect.provide(answers(responses))
  )

describe("the length of a Cosmos list", () => {
  it.effect("is the total, also when it is 0", () =>
    Effect.gen(function* () {
      const body = (total: string) => ({ rows: [], pagination: { next_key: null, total } })
      assert.strictEqual(yield* read([{ request: counted("v2"), body: body("1700") }]), 1700)
      assert.strictEqual(yield* read([{ request: counted("v2"), body: body("0") }]), 0)
      assert.strictEqual(
        yield* read([{ request: counted("v2"), body: { rows: [{}], pagination: { total: 5 } } }]),
        5
      )
    })
  )

  it.effect.each([403, 404, 410, 501, 503])("comes from the next address after %s", (status) =>
    Effect.gen(function* () {
      const length = yield* read([
        { request: counted("v2"), status, body: {} },
        { request: counted("v1"), body: { rows: [{}], pagination: { next_key: "A", total: "12" } } }
      ])
      assert.strictEqual(length, 12)
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
      const length = yield* read([
        { request: counted("v2"), body: { rows: [{}], pagination: { next_key: "A==", total: "0" } } },
        { request: page("v2"), body: { rows: [{}, {}], pagination: { next_key: "B==" } } },
        { request: page("v2", "B%3D%3D"), body: { rows: [{}], pagination: { next_key: null } } }
      ])
      assert.strictEqual(length, 3)
    })
  )

  it.effect("is counted where the node says how many entries it shows, also when it does not page them", () =>
    Effect.gen(function* () {
      const list = (length: number) => Array.from({ length }, () => ({}))
      const countedPage = {
        request: counted("v2"),
        body: { rows: [{}], pagination: { next_key: null, total: "1" } }
      }
      assert.strictEqual(yield* read([countedPage, { request: page("v2"), body: { rows: list(1) } }]), 1)
      const whole = { request: `${url("v2")}&pagination.limit=5000`, body: { rows: list(1733) } }
      const full = { request: page("v2"), body: { rows: list(500), pagination: { next_key: null } } }
      assert.strictEqual(yield* read([countedPage, full, whole]), 1733)
      const all = { request: counted("v2"), body: { rows: list(40), pagination: { total: "40" } } }
      assert.strictEqual(yield* read([all]), 40)
      const cut = { ...whole, body: { rows: list(5000) } }
      assert.strictEqual((yield* Effect.flip(read([countedPage, full, cut])))._tag, "UpstreamChanged")
    })
  )

  it.effect.each([
    { error: "rate limit exceeded" },
    { message: "Too Many Requests" },
    { code: 8, message: "too many requests", details: [] },
    { jsonrpc: "2.0", id: -1, error: { code: -32005, message: "limit exceeded" } }
  ])("is a refusal where the answer has an error in its place: %j", (body) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read([{ request: counted("v2"), body }]))
      assert.strictEqual(error._tag, "UpstreamRefused")
      const other = "https://lcd.other/list"
      const elsewhere = yield* total([url("v2"), other], "rows").pipe(
        Effect.provide(
          answers([
            { request: counted("v2"), body },
            {
              request: `${other}?pagination.limit=1&pagination.count_total=true`,
              body: { rows: [{}], pagination: { total: "12" } }
            }
          ])
        )
      )
      assert.strictEqual(elsewhere.total, 12)
    })
  )

  it.effect.each([
    { error: "rate limit exceeded" },
    { message: "Too Many Requests" },
    { code: 8, message: "too many requests", details: [] },
    { jsonrpc: "2.0", id: -1, error: { code: -32005, message: "limit exceeded" } }
  ])("is a refusal where the answer has an error in its place: %j", (body) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read([{ request: counted("v2"), body }]))
      assert.strictEqual(error._tag, "UpstreamRefused")
      const other = "https://lcd.other/list"
      const elsewhere = yield* total([url("v2"), other], "rows").pipe(
        Effect.provide(
          answers([
            { request: counted("v2"), body },
            {
              request: `${other}?pagination.limit=1&pagination.count_total=true`,
              body: { rows: [{}], pagination: { total: "12" } }
            }
          ])
        )
      )
      assert.strictEqual(elsewhere.total, 12)
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
    [{ rows: [], pagination: { total: 0.5 } }, "total"],
    [{ others: [{}], pagination: { total: "412" } }, "rows"]
  ] as const)("is a changed answer for %j", ([body, place]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read([{ request: counted("v2"), body }]))
      assert.strictEqual(error._tag, "UpstreamChanged")
      assert.include(error.message, place)
    })
  )
})

describe("lists as metrics", () => {
  const empty = { rows: [], pagination: { next_key: null, total: "0" } }
  const lists = declare({
    id: "example",
    title: "Example",
    covers: { networks: ["EXN"] },
    tier: "supply_telemetry",
    source: "example",
    hosts: ["lcd.example"],
    every: "1 hour",
    grade: "K",
    owner: "plumbline",
    metrics: { suppliers: metric("count", "Suppliers."), gateways: metric("count", "Gateways.") },
    answers: [
      { ask: length([url("v2")], "", "rows"), figures: { suppliers: "" } },
      { ask: length([url("v1")], "", "rows", { mayBeEmpty: true }), figures: { gateways: "" } }
    ]
  })

  it.effect("are a failed read when empty, unless they may be", () =>
    Effect.gen(function* () {
      const { observations, refused } = yield* lists.collect
      assert.deepStrictEqual(
        observations.map(({ metric, value }) => [metric, value]),
        [["gateways", 0]]
      )
      assert.strictEqual(refused.length, 1)
      assert.include(refused[0]?.reason, "the list is empty")
    }).pipe(
      Effect.provide(
        answers([
          { request: counted("v2"), body: empty },
          { request: counted("v1"), body: empty }
        ])
      )
    )
  )
})
