/** What a run makes of readings: a time that is none, a value that is none, and what the manifest does not know. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Tier } from "../../core/plugin/kinds.ts"
import * as Plugin from "../../core/plugin/Plugin.ts"
import type { Numeric } from "../../core/plugin/Unreadable.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import { answers } from "../support/cannedUpstream.ts"

const url = "https://stats.example/n"
const at = Date.parse("2026-09-05T11:00:00Z")

const collected = (
  as_of: Numeric | null | undefined,
  value: Plugin.Reading = 7,
  facts: Plugin.Facts = {},
  tier: Tier = "supply_telemetry",
  max?: number,
  more: { readonly orHeaders?: true } = {}
) =>
  Plugin.define({
    id: "example",
    title: "Example",
    covers: { networks: ["EXN"] },
    tier,
    source: "example",
    sources: ["second"],
    hosts: ["stats.example"],
    every: "1 hour",
    grade: "K",
    owner: "plumbline",
    ...more,
    metrics: { n: { unit: "count", meaning: "A count.", ...(max === undefined ? {} : { max }) } },
    collect: (observe) =>
      Effect.map(Upstream.json(url, Schema.Unknown), (answer) =>
        observe(answer, { n: value }, { as_of, ...facts })
      )
  }).collect.pipe(Effect.provide(answers([{ request: url, body: {} }])))

describe("a time that an upstream states", () => {
  it.effect.each([0, -1, 9e15, 1e300, Number.NaN, Number.POSITIVE_INFINITY])("%s is none", (as_of) =>
    Effect.gen(function* () {
      const { observations, refused } = yield* collected(as_of)
      assert.deepStrictEqual(observations, [])
      assert.match(refused[0]?.reason ?? "", /is not a valid time/)
    })
  )

  it.effect("that cannot be read dates no row, and the refusal says why", () =>
    Effect.gen(function* () {
      const { observations, refused } = yield* collected(Upstream.time("yesterday"))
      assert.deepStrictEqual(observations, [])
      assert.strictEqual(refused[0]?.reason, 'as_of: got "yesterday", a time expected')
    })
  )

  it.effect.each([undefined, null])(
    "that is %s refuses its answer, unless the manifest says orHeaders",
    (none) =>
      Effect.gen(function* () {
        const { observations, refused } = yield* collected(none)
        assert.deepStrictEqual(observations, [])
        assert.strictEqual(refused[0]?.reason, "as_of: the time that the plugin reads is not in the answer")
        const dated = yield* collected(none, 7, {}, "supply_telemetry", undefined, { orHeaders: true })
        assert.strictEqual(dated.observations[0]?.as_of, "2026-09-05T11:00:00Z")
      })
  )

  it.effect("is refused before 2009, also where headers may date what has none", () =>
    Effect.gen(function* () {
      const inSeconds = yield* collected(at / 1000, 7, {}, "supply_telemetry", undefined, { orHeaders: true })
      assert.deepStrictEqual(inSeconds.observations, [])
      assert.strictEqual(
        inSeconds.refused[0]?.reason,
        "as_of 1970-01-21T16:50:06Z is before 2009: seconds taken for milliseconds"
      )
      const early = yield* collected(Date.parse("2008-12-31T23:59:59Z"))
      assert.strictEqual(early.refused[0]?.reason, "as_of 2008-12-31T23:59:59Z is before 2009")
      assert.strictEqual((yield* collected(Date.parse("2009-01-01"))).observations.length, 1)
    })
  )

  it.effect("may be up to five minutes after the exchange", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* collected(at + 300_000)).observations.length, 1)
      const late = yield* collected(at + 300_001)
      assert.deepStrictEqual(late.observations, [])
      assert.match(late.refused[0]?.reason ?? "", /after the exchange/)
    })
  )
})

describe("a row", () => {
  it.effect.each([
    [{ symbol: "" }, "the manifest does not cover this symbol"],
    [{ source: "" }, 'source "" is not one that the manifest declares'],
    [{ source: "another" }, 'source "another" is not one that the manifest declares'],
    [{ verify_url: "" }, 'verify_url "" is not an https address'],
    [{ verify_url: "http://stats.example/n" }, 'verify_url "http://stats.example/n" is not an https address'],
    [{ verify_url: "https://" }, 'verify_url "https://" is not an https address']
  ] as const)("with %j is refused", ([facts, reason]) =>
    Effect.gen(function* () {
      const { observations, refused } = yield* collected(at, 7, facts)
      assert.deepStrictEqual(observations, [])
      assert.deepStrictEqual(
        refused.map((one) => one.reason),
        [reason]
      )
    })
  )

  it.effect("may carry another label that the manifest names", () =>
    Effect.gen(function* () {
      const { observations } = yield* collected(at, 7, { source: "second" })
      assert.strictEqual(observations[0]?.source, "second")
    })
  )
})

describe("a value", () => {
  it.effect.each([
    ["", 'got "", a number expected'],
    ["12,345", 'got "12,345", a number expected'],
    ["0x10", 'got "0x10", a number expected'],
    ["1e400", 'got "1e400", a number expected'],
    [Number.NaN, "got NaN, a number expected"],
    [Number.NEGATIVE_INFINITY, "got -Infinity, a number expected"],
    [7.5, "got 7.5, a whole number expected"],
    ["7.5", 'got "7.5", a whole number expected'],
    [2 ** 53, "got 9007199254740992, one below 2^53, or the number as text, expected"],
    [Upstream.unreadable("the crawl has not run"), "the crawl has not run"]
  ] as const)("%j is refused, and the refusal says what came", ([value, reason]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* collected(at, value), {
        observations: [],
        refused: [{ symbol: "EXN", metric: "n", reason }]
      })
    })
  )

  it.effect.each([
    [
      "9007199254740992",
      "9007199254740992 is above the greatest possible value 9007199254740991 of the unit count"
    ],
    [`1${"0".repeat(30)}`, "1e+30 is above the greatest possible value"],
    [2n ** 64n - 1n, "18446744073709551615 is what a counter says that fell below 0"],
    ["18446744073709551495", "18446744073709551495 is what a counter says that fell below 0"]
  ] as const)("%s is more than anybody counts, and is refused for it", ([value, reason]) =>
    Effect.gen(function* () {
      const { observations, refused } = yield* collected(at, value)
      assert.deepStrictEqual(observations, [])
      assert.include(refused[0]?.reason, reason)
    })
  )

  it.effect("is at most what its metric says, where the unit allows less or more", () =>
    Effect.gen(function* () {
      const read = (value: Plugin.Reading, max: number) => collected(at, value, {}, "supply_telemetry", max)
      assert.strictEqual(
        (yield* read("9007199254740993000", 1e20)).observations[0]?.value_text,
        "9007199254740993000"
      )
      assert.strictEqual(
        (yield* read(2n ** 64n - 1n, 1e20)).refused[0]?.reason,
        "18446744073709551615 is what a counter says that fell below 0"
      )
      assert.strictEqual(
        (yield* read(101, 100)).refused[0]?.reason,
        "101 is above the greatest possible value 100"
      )
      assert.lengthOf((yield* read(100, 100)).observations, 1)
    })
  )

  it.effect("of nothing at all in the whole run is said to be missing", () =>
    Effect.gen(function* () {
      const { observations, refused } = yield* collected(at, null)
      assert.deepStrictEqual(observations, [])
      assert.deepStrictEqual(refused, [
        { symbol: "EXN", metric: "*", reason: `no field of any metric in ${url}` }
      ])
    })
  )

  it.effect("of telemetry says what was read, where a reader is sent elsewhere", () =>
    Effect.gen(function* () {
      const link = { verify_url: "https://explorer.example/n" }
      const [row] = (yield* collected(at, 7, link)).observations
      assert.deepInclude(row, { verify_url: link.verify_url, read_url: url })
      const [same] = (yield* collected(at, 7, { verify_url: url })).observations
      assert.notProperty(same ?? {}, "read_url")
      const [price] = (yield* collected(at, 7, link, "market")).observations
      assert.notProperty(price ?? {}, "read_url")
    })
  )

  it.effect("keeps its exact text when it came as text, and -0 is 0", () =>
    Effect.gen(function* () {
      const [row] = (yield* collected(at, "5901234567890123")).observations
      assert.strictEqual(row?.value_text, "5901234567890123")
      const [zero] = (yield* collected(at, -0)).observations
      assert.isTrue(Object.is(zero?.value, 0))
    })
  )
})

describe("figures that are all 0", () => {
  const read = (values: Readonly<Record<string, Plugin.Reading>>, tier: Tier = "supply_telemetry") =>
    Effect.map(
      Plugin.define({
        id: "example",
        title: "Example",
        covers: { networks: ["EXN"] },
        tier,
        source: "example",
        hosts: ["stats.example"],
        every: "1 hour",
        grade: "K",
        owner: "plumbline",
        metrics: {
          nodes: { unit: "count", meaning: "Nodes." },
          stake: { unit: "tokens", meaning: "Stake." },
          queued: { unit: "count", meaning: "Jobs that wait.", collapse: 1 },
          failed: { unit: "count", meaning: "Jobs that failed.", collapse: 1 }
        },
        collect: (observe) =>
          Effect.map(Upstream.json(url, Schema.Unknown), (answer) => observe(answer, values))
      }).collect.pipe(Effect.provide(answers([{ request: url, body: {} }]))),
      ({ observations, refused }) => [observations.length, refused.length]
    )

  it.effect("are refused: so answers an upstream that could not read its own", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read({ nodes: 0, stake: "0.00", queued: 0 }), [0, 3])
    })
  )

  it.effect("are measured beside one that is not, alone, where all may be 0, and in the physical world", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read({ nodes: 7, stake: "0", queued: 0 }), [3, 0])
      assert.deepStrictEqual(yield* read({ nodes: 0, stake: null }), [1, 0])
      assert.deepStrictEqual(yield* read({ queued: 0, failed: 0 }), [2, 0])
      assert.deepStrictEqual(yield* read({ nodes: 0, stake: 0 }, "physical"), [2, 0])
    })
  )
})

describe("a family of metrics", () => {
  const family = (values: { readonly [K in `nodes_country_${string}`]: Plugin.Reading }) =>
    Plugin.define({
      id: "example",
      title: "Example",
      covers: { networks: ["EXN"] },
      tier: "supply_telemetry",
      source: "example",
      hosts: ["stats.example"],
      every: "1 hour",
      grade: "K",
      owner: "plumbline",
      metrics: { "nodes_country_*": { unit: "count", meaning: "A count.", of: ["DE", "other"] } },
      collect: (observe) =>
        Effect.map(Upstream.json(url, Schema.Unknown), (answer) => observe(answer, values))
    }).collect.pipe(Effect.provide(answers([{ request: url, body: {} }])))

  it.effect("holds its own words and no others, not even its own name", () =>
    Effect.gen(function* () {
      const { observations, refused } = yield* family({
        nodes_country_DE: 4,
        nodes_country_other: 0,
        nodes_country_de: 5,
        nodes_country_: 6,
        "nodes_country_*": 7,
        nodes_country_FR: null
      })
      assert.deepStrictEqual(
        observations.map(({ metric, unit, value }) => [metric, value, unit]),
        [
          ["nodes_country_DE", 4, "count"],
          ["nodes_country_other", 0, "count"]
        ]
      )
      assert.deepStrictEqual(refused.map(({ metric }) => metric).sort(), [
        "nodes_country_",
        "nodes_country_*",
        "nodes_country_de"
      ])
    })
  )
})
