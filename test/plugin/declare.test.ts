/** Plugins that are data alone: what is read, what is not measured, and what is refused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { countryMetrics } from "../../core/plugin/shapes/countries.ts"
import { declare, type Figures, partsBy, type Query, tableOf } from "../../core/plugin/shapes/declare.ts"
import { queried } from "../../core/plugin/shapes/graphql.ts"
import { metric, signed } from "../../core/plugin/shapes/metric.ts"
import type { Place } from "../../core/plugin/shapes/places.ts"
import { post, Upstream } from "../../core/plugin/Upstream.ts"
import { answers } from "../support/cannedUpstream.ts"

const at = Date.parse("2026-11-22T08:30:00Z")

const metrics = {
  n: metric("count", "Nodes."),
  m: metric("bytes", "Bytes."),
  t: metric("tokens", "Tokens."),
  s: signed("pct", "A change."),
  ...countryMetrics("Nodes")
}
type Name = keyof typeof metrics
type Rest = Omit<Query<Figures<Name>>, "ask">

const plugin = (query: Rest, ask = "https://a.test/{path_of}") =>
  declare({
    id: "example",
    title: "Example",
    covers: { networks: ["EXN"] },
    tier: "supply_telemetry",
    source: "example",
    hosts: ["a.test"],
    settings: { path_of: "v1" },
    every: "1 hour",
    grade: "K",
    metrics,
    answers: [{ ask, ...query }]
  })

/** The run over one body: rows as `metric: value`, refusals as `metric: reason`, or the failure. */
const run = (body: unknown, query: Rest) =>
  Effect.map(
    Effect.result(plugin(query).collect).pipe(
      Effect.provideService(
        Upstream,
        Upstream.of({
          now: at,
          targets: [],
          settings: { path_of: "v1" },
          exchange: (request) => {
            assert.strictEqual(request.url, "https://a.test/v1")
            const text = typeof body === "string" ? body : JSON.stringify(body)
            return Effect.succeed({
              request,
              at,
              status: 200,
              headers: {},
              sha256: "",
              body: new TextEncoder().encode(text)
            })
          }
        })
      )
    ),
    (outcome) =>
      Result.isFailure(outcome)
        ? outcome.failure.message
        : [
            ...outcome.success.observations.map(
              (row) =>
                `${row.metric} ${row.value_text ?? row.value}${row.as_of === "2026-11-22T08:30:00Z" ? "" : ` ${row.as_of}`}`
            ),
            ...outcome.success.refused.map((it) => `${it.metric}: ${it.reason}`)
          ].join("; ")
  )

const figure = (body: unknown, place: Place, name: "n" | "m" | "t" | "s" = "n") =>
  run(body, { figures: { [name]: place } })

const tooLarge =
  "9007199254740992 is above the greatest possible value 9007199254740991 of the unit count: whole numbers are exact as doubles up to here, and nobody has counted so many things one by one"

const nothing = "*: no field of any metric in https://a.test/v1"

describe("a number", () => {
  it.effect("is read as its metric is declared", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* figure({ a: { b: 7 } }, "a.b"), "n 7")
      assert.strictEqual(yield* figure({ "a.b": 7 }, ["a.b"]), "n 7")
      assert.strictEqual(yield* figure([5, 6], "1"), "n 6")
      assert.strictEqual(yield* figure({ a: 0 }, "a"), "n 0")
      assert.strictEqual(yield* figure({ a: "12" }, "a"), "n 12")
      assert.strictEqual(yield* figure({ a: 7.5 }, "a"), "n: got 7.5, a whole number expected")
      assert.strictEqual(yield* figure({ a: -1 }, "a"), "n: got -1, at least 0 expected")
      assert.strictEqual(yield* figure({ a: "12,345" }, "a"), 'n: got "12,345", a number expected')
      assert.strictEqual(yield* figure({ a: 7.5 }, "a", "m"), "m 7.5")
      assert.strictEqual(yield* figure({ a: -1.5 }, "a", "s"), "s -1.5")
      assert.strictEqual(yield* figure('{"a":9007199254740993}', "a"), `n: ${tooLarge}`)
    })
  )

  it.effect("that is missing or null is an absence", () =>
    Effect.gen(function* () {
      for (const body of [{}, { a: null }, { a: {} }]) assert.strictEqual(yield* figure(body, "a.b"), nothing)
      assert.strictEqual(yield* run({ m: 1 }, { figures: { n: "n", m: "m" } }), "m 1")
    })
  )

  it.effect("in base units keeps its digits", () =>
    Effect.gen(function* () {
      const place = { number: "a", decimals: 18 }
      assert.strictEqual(yield* figure({ a: "1500000000000000001" }, place, "t"), "t 1.500000000000000001")
      assert.strictEqual(yield* figure({ a: "-1" }, place, "t"), 't: got "-1", at least 0 expected')
      assert.strictEqual(
        yield* figure({ a: "1", b: "9007199254740993" }, { plus: ["a", "b"], decimals: 0 }, "t"),
        "t 9007199254740994"
      )
    })
  )

  it.effect("may stand at another place, and be a sum or a difference if all parts are there", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* figure({ a: null, b: 3 }, { number: "a", or: "b" }), "n 3")
      assert.strictEqual(yield* figure({ a: 0, b: 3 }, { number: "a", or: "b" }), "n 0")
      assert.strictEqual(yield* figure({ a: 2, b: 3 }, { plus: ["a", "b"] }), "n 5")
      assert.strictEqual(yield* figure({ a: 2 }, { plus: ["a", "b"] }), nothing)
      assert.strictEqual(yield* figure({ a: 5, b: 3 }, { whole: "a", less: "b" }), "n 2")
      assert.include(yield* figure({ a: 3, b: 5 }, { whole: "a", less: "b" }), "more than the whole")
    })
  )
})

describe("a list", () => {
  const list = [
    { id: 1, on: true },
    { id: 1, on: true },
    { id: 2, on: false }
  ]
  it.effect("counts each entry once, and only those that count", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* figure({ list }, { entries: "list" }), "n 3")
      assert.strictEqual(yield* figure({ list }, { entries: "list", by: "id" }), "n 2")
      assert.strictEqual(yield* figure({ list }, { entries: "list", by: { each: ["id", "on"] } }), "n 2")
      const where = { at: "on", is: [true] }
      assert.strictEqual(yield* figure({ list }, { entries: "list", by: "id", where }), "n 1")
      assert.strictEqual(
        yield* figure({ list }, { entries: "list", where: { at: "on", not: [true] } }),
        "n 1"
      )
      const errors = [{ error: null }, {}, { error: "down" }]
      assert.strictEqual(yield* figure(errors, { entries: "", where: { at: "error", none: true } }), "n 2")
      for (const id of ["x", -5, 0.5, null]) {
        assert.strictEqual(
          yield* figure({ list: [...list, { id }] }, { entries: "list", by: "id" }),
          "n: an entry does not tell its id, by which it is counted"
        )
      }
    })
  )

  it.effect("does not guess at an entry that says nothing, or a word that nobody knows", () =>
    Effect.gen(function* () {
      const where = { at: "on", is: [true] }
      for (const odd of [{ id: 3 }, { id: 3, on: "" }]) {
        assert.strictEqual(
          yield* figure([...list, odd], { entries: "", where }),
          "n: an entry does not tell its on"
        )
      }
      const words = { at: "s", is: ["up"], others: ["down"] }
      assert.strictEqual(yield* figure([{ s: "up" }, { s: "down" }], { entries: "", where: words }), "n 1")
      assert.strictEqual(
        yield* figure([{ s: "up" }, { s: "gone" }], { entries: "", where: words }),
        'n: an entry has an unknown s: "gone"'
      )
    })
  )

  it.effect("may have one garbled entry in a hundred, where that is said", () =>
    Effect.gen(function* () {
      const long = Array.from({ length: 100 }, (_, id) => ({ id, on: true }))
      const place = { entries: "", by: "id", mostly: true } as const
      assert.strictEqual(yield* figure([...long.slice(1), "?"], place), "n 99")
      assert.include(yield* figure([...long.slice(2), "?", "?"], place), "does not tell its id")
    })
  )

  it.effect("is a failed read where it is empty or may be cut", () =>
    Effect.gen(function* () {
      assert.include(yield* figure({ list: [] }, { entries: "list" }), "the list is empty")
      assert.strictEqual(yield* figure({ list: [] }, { entries: "list", mayBeEmpty: true }), "n 0")
      assert.include(yield* figure({ list: [1, 2] }, { entries: "list", most: 2 }), "may be cut")
      assert.include(
        yield* figure({ list: [1, 2], limit: 2 }, { entries: "list", most: "limit" }),
        "may be cut"
      )
      assert.strictEqual(yield* figure({ list: [1, 2], limit: 3 }, { entries: "list", most: "limit" }), "n 2")
      assert.strictEqual(yield* figure({ list: 7 }, { entries: "list" }), "n: got 7, a list expected")
    })
  )

  it.effect("is summed where every entry tells its part", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* figure([{ n: 1 }, { n: 2 }], { sum: "", of: "n" }), "n 3")
      assert.strictEqual(yield* figure({ a: 1, b: 2 }, { sum: "", of: "" }), "n 3")
      assert.strictEqual(
        yield* figure([{ n: 1 }, {}], { sum: "", of: "n" }),
        "n: an entry does not tell its n"
      )
    })
  )

  it.effect("is counted by country", () =>
    Effect.gen(function* () {
      const countries = { "nodes_country_*": { countries: "", code: ["cc", "name"], by: "id" } } as const
      const nodes = [
        { id: 1, cc: "DE" },
        { id: 2, name: "France" },
        { id: 2, name: "France" },
        { id: 3, cc: "" }
      ]
      assert.strictEqual(
        yield* run(nodes, { figures: countries }),
        "nodes_country_DE 1; nodes_country_FR 1; nodes_country_other 1"
      )
      assert.include(yield* run({ nodes }, { figures: countries }), "Expected array")
    })
  )
})

describe("an answer", () => {
  const figures = { n: "n" } as const
  it.effect("in another form fails as with a schema, and names the place", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* run([1], { figures }), "GET https://a.test/v1: Expected object")
      assert.strictEqual(
        yield* run({ a: 1 }, { figures: { n: "0" } }),
        "GET https://a.test/v1: Expected array"
      )
      assert.strictEqual(
        yield* run({ d: "down" }, { under: "d", figures }),
        'GET https://a.test/v1: at ["d"]: Expected object | null | undefined'
      )
      assert.strictEqual(
        yield* run({ a: 7 }, { figures: { n: "a.b" } }),
        'GET https://a.test/v1: at ["a"]: Expected object | null | undefined'
      )
      assert.strictEqual(
        yield* run({ d: { n: 1 } }, { under: "d", needs: ["id"], figures }),
        'GET https://a.test/v1: at ["d"]["id"]: Missing key'
      )
      assert.strictEqual(
        yield* run({ n: 1, list: [{ k: 0 }] }, { positive: [{ sum: "list", of: "k" }], figures }),
        'GET https://a.test/v1: at ["list"]: Expected more than 0, got 0'
      )
    })
  )

  it.effect("must say of itself what is asked", () =>
    Effect.gen(function* () {
      const must = [{ at: "ok", be: true }]
      assert.strictEqual(yield* run({ ok: true, n: 1 }, { must, figures }), "n 1")
      assert.include(yield* run({ n: 1 }, { must, figures }), "nothing instead of true")
      assert.strictEqual(
        yield* run({ n: 1 }, { must: [{ at: "ok", be: true, ifTold: true }], figures }),
        "n 1"
      )
      assert.include(yield* run({ ok: false, message: "down", n: 1 }, { must, figures }), "down")
      assert.include(
        yield* run(
          { sync: false, n: 1 },
          { must: [{ at: "sync", be: true, otherwise: "it is behind" }], figures }
        ),
        "it is behind"
      )
    })
  )

  it.effect("cannot be read where the members of a map are of several kinds, as those of an error", () =>
    Effect.gen(function* () {
      const figures = { n: { entries: "" } }
      assert.strictEqual(yield* run({ a: { up: 1 }, b: { up: 0 } }, { figures }), "n 2")
      assert.strictEqual(
        yield* run({ success: true, total: 0, data: [] }, { figures }),
        "n: value has members of several kinds"
      )
    })
  )

  it.effect("is over the lists in a list, each entry once, and none where one of them is not told", () =>
    Effect.gen(function* () {
      const machines = [
        {
          m: [
            { id: 1, gpus: 8 },
            { id: 2, gpus: 4 }
          ]
        },
        { m: [] },
        { m: [{ id: 2, gpus: 4 }] }
      ]
      const count = { figures: { n: { entries: "p.*.m", by: "id", mayBeEmpty: true } } } as const
      assert.strictEqual(yield* run({ p: machines }, count), "n 2")
      const sum = { figures: { n: { sum: "p.*.m", of: "gpus", mayBeEmpty: true } } } as const
      assert.strictEqual(yield* run({ p: machines }, sum), "n 16")
      assert.strictEqual(yield* run({ p: [...machines, {}] }, sum), "n: an entry of p does not tell its m")
      assert.strictEqual(yield* run({ p: [[1, 2], [3]] }, { figures: { n: { entries: "p.*" } } }), "n 3")
      assert.include(yield* run({ p: 7 }, sum), "Expected array")
      assert.strictEqual(
        yield* run({ p: machines }, { figures: { n: { entries: "p.*.m" } } }),
        "n: an entry of p has no m"
      )
    })
  )

  it.effect("of countries may be a list of them with their nodes", () =>
    Effect.gen(function* () {
      const figures = { "nodes_country_*": { countries: "regions", code: ["country"], nodes: "nodes" } }
      const regions = [
        { country: "DE", nodes: 3 },
        { country: "France", nodes: 2 },
        { country: "Germany", nodes: 1 }
      ]
      assert.strictEqual(yield* run({ regions }, { figures }), "nodes_country_DE 4; nodes_country_FR 2")
      assert.include(
        yield* run({ regions: [...regions, { country: "PL" }] }, { figures }),
        "nodes_country_DE: an entry does not tell its nodes"
      )
    })
  )

  it.effect("is true when it says: a time, the latest of a list, the end of a day", () =>
    Effect.gen(function* () {
      for (const t of [1_795_332_600, 1_795_332_600_000, "2026-11-22T07:30:00Z"]) {
        assert.strictEqual(yield* run({ t, n: 1 }, { figures, as_of: "t" }), "n 1 2026-11-22T07:30:00Z")
      }
      assert.include(yield* run({ t: "soon", n: 1 }, { figures, as_of: "t" }), "a time expected")
      assert.strictEqual(yield* run({ n: 1 }, { figures, as_of: "t" }), "n: as_of: t is not in the answer")
      assert.strictEqual(
        yield* run({ n: 1 }, { figures, as_of: "t", daily: true }),
        "n: as_of: t is not in the answer"
      )
      assert.strictEqual(
        yield* run({ t: "2026-11-22T07:30:00Z", data: { n: 1 } }, { figures, as_of: "t", under: "data" }),
        "n: as_of: data.t is not in the answer"
      )
      assert.strictEqual(
        yield* run({ list: [], n: 1 }, { figures, as_of: { latest: "list", at: "t" } }),
        "n: as_of: list is not in the answer"
      )
      const list = [{ t: "2026-11-20" }, { t: "2026-11-21" }]
      assert.strictEqual(
        yield* run({ list, n: 1 }, { figures, as_of: { latest: "list", at: "t" } }),
        "n 1 2026-11-21T00:00:00Z"
      )
      const day = "n 1 2026-11-21T23:59:59.999Z"
      assert.strictEqual(yield* run({ t: "2026-11-21", n: 1 }, { figures, as_of: "t", daily: true }), day)
      assert.strictEqual(yield* run({ n: 1 }, { figures, daily: true }), day)
    })
  )

  it.effect("is of its newest entry, in whatever order, or of the newest day that is over", () =>
    Effect.gen(function* () {
      const rows = [
        { t: "2026-11-21", n: 2 },
        { t: "2026-11-22", n: 3 },
        { t: "2026-11-20", n: 1 }
      ]
      const newest = { of: "rows", at: "t" }
      assert.strictEqual(yield* run({ rows }, { newest, figures }), "n 3 2026-11-22T00:00:00Z")
      assert.strictEqual(
        yield* run({ rows }, { newest, daily: true, figures }),
        "n 2 2026-11-21T23:59:59.999Z"
      )
      assert.include(yield* run({ rows: [...rows, { n: 9 }] }, { newest, figures }), "does not tell its time")
      assert.include(yield* run({ rows: [] }, { newest, figures }), "the list is empty")
      assert.include(
        yield* run({ rows: rows.slice(1, 2) }, { newest, daily: true, figures }),
        "no day that is over"
      )
    })
  )

  it.effect("refuses what is missing where that is required, and says what it says instead", () =>
    Effect.gen(function* () {
      const both = { n: { number: "a.b", or: "c" }, m: "m" } as const
      assert.strictEqual(
        yield* run({ m: 7 }, { required: true, figures: both }),
        "m 7; n: a.b or c is not in the answer"
      )
      assert.include(yield* run({ x: 7 }, { required: true, figures: both }), "none of n, m is there")
      assert.include(yield* run({ x: 7, error: "locked" }, { required: true, figures: both }), "locked")
    })
  )
})

describe("a declaration", () => {
  const base = {
    id: "example",
    title: "Example",
    tier: "physical",
    source: "example",
    hosts: ["one.test", "two.test"],
    every: "1 hour",
    grade: "K",
    metrics: { n: metric("count", "Nodes.") }
  } as const

  it.effect("asks the other addresses where one limits", () =>
    Effect.gen(function* () {
      const { observations } = yield* declare({
        ...base,
        covers: { networks: ["EXN"] },
        answers: [{ ask: "https://one.test/", others: ["https://two.test/"], figures: { n: "n" } }]
      }).collect.pipe(
        Effect.provide(
          answers([
            { request: "https://one.test/", body: { error: { code: 429, message: "too many requests" } } },
            { request: "https://two.test/", body: { n: 7 } }
          ])
        )
      )
      assert.deepStrictEqual(
        observations.map(({ value, verify_url }) => [value, verify_url]),
        [[7, "https://two.test/"]]
      )
    })
  )

  it.effect("gives parts symbols of their own, and a failed answer costs only its own symbol", () =>
    Effect.gen(function* () {
      const entries = { entries: "", by: "id" } as const
      const { observations, refused } = yield* declare({
        ...base,
        covers: { sector: "PHYSICAL_FLOOD", symbols: ["ALL", "HIGH", "OTHER"] },
        answers: [
          {
            ask: "https://one.test/",
            symbol: "ALL",
            figures: { n: entries },
            parts: partsBy("n", entries, "level", [["high", "HIGH"]], ["low"])
          },
          { ask: "https://two.test/", symbol: "OTHER", figures: { n: "n" } }
        ]
      }).collect.pipe(
        Effect.provide(
          answers([
            {
              request: "https://one.test/",
              body: [
                { id: 1, level: "high" },
                { id: 2, level: "low" }
              ]
            },
            { request: "https://two.test/", body: {}, status: 503 }
          ])
        )
      )
      assert.deepStrictEqual(
        observations.map(({ symbol, value }) => [symbol, value]),
        [
          ["ALL", 2],
          ["HIGH", 1]
        ]
      )
      assert.deepStrictEqual(refused, [
        { symbol: "OTHER", metric: "*", reason: "GET https://two.test/: status 503" }
      ])
    })
  )

  it.effect("names the errors beside a part of the data", () =>
    Effect.gen(function* () {
      const { observations, refused } = yield* declare({
        ...base,
        covers: { networks: ["EXN"] },
        answers: [{ ask: queried("https://one.test/q", "{ n }"), figures: { n: "n" } }]
      }).collect.pipe(
        Effect.provide(
          answers([
            {
              request: post("https://one.test/q", { query: "{ n }" }),
              body: { data: { n: 7 }, errors: [{ message: "m timed out" }] }
            }
          ])
        )
      )
      assert.strictEqual(observations.length, 1)
      assert.include(refused[0]?.reason, "m timed out")
    })
  )

  it("of a table has its symbols, hosts and evidence", () => {
    const evidence = [{ source: "https://docs.test", read: "2026-11-22", members: ["n"] }]
    const figures = { n: "n" } as const
    const { covers, hosts } = tableOf([
      { symbol: "A", ask: "https://one.test/a", others: ["https://two.test/a"], evidence, figures },
      { symbol: "A", ask: "https://one.test/b", evidence: [], figures }
    ])
    assert.deepStrictEqual([covers.networks, hosts], [["A"], ["one.test", "two.test"]])
  })
})
