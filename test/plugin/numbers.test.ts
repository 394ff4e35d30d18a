/** Numbers are exact from the first byte of an answer to the row. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import fc from "fast-check"
import { Decimal } from "../../core/plugin/Decimal.ts"
import { fromBaseUnits } from "../../core/plugin/decimals.ts"
import { parseExactly } from "../../core/plugin/numbers.ts"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { csv } from "../../core/plugin/shapes/csv.ts"
import { readingsOf } from "../../core/plugin/shapes/declare.ts"
import {
  amount,
  count,
  difference,
  double,
  exactSum,
  figure,
  largest,
  number,
  quantity,
  sum
} from "../../core/plugin/shapes/fields.ts"
import { query } from "../../core/plugin/shapes/graphql.ts"
import { mayDropToZero } from "../../core/plugin/shapes/metric.ts"
import { type Numeric, Unreadable } from "../../core/plugin/Unreadable.ts"
import { json, post, rpc } from "../../core/plugin/Upstream.ts"
import { answers } from "../support/cannedUpstream.ts"

const url = "https://stats.example/n"
const most = 12
const names = Array.from({ length: most }, (_, n) => String(n))

const pluginOf = (field: Schema.ConstraintDecoder<unknown>, unit: "tokens" | "count") =>
  Plugin.define({
    id: "digits",
    title: "Digits",
    covers: { networks: ["ABC"] },
    source: "digits",
    tier: "supply_telemetry",
    hosts: ["stats.example"],
    every: "1 hour",
    grade: "B",
    // Larger than any that is written here: the digits are what matters.
    metrics: { "n_*": { ...mayDropToZero(unit, "A number.", { max: 1e100 }), of: names } },
    collect: (observe) =>
      Effect.map(json(url, Schema.Array(Schema.Struct({ n: field as typeof number }))), (answer) =>
        observe(answer, Object.fromEntries(answer.body.map(({ n }, at) => [`n_${at}`, n])))
      )
  })

const collected = (plugin: Plugin.Plugin, literals: ReadonlyArray<string>) =>
  Effect.runSync(
    Effect.provide(
      plugin.collect,
      answers([{ request: url, body: `[${literals.map((literal) => `{"n": ${literal}}`).join(" ,")}]` }])
    )
  )

/** What a literal of JSON is: a whole number times a power of ten, and nothing else is the same. */
const decimal = (literal: string): string => {
  const [mantissa = "", exponent = "0"] = literal.toLowerCase().split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  let digits = BigInt(whole.replace("-", "") + fraction)
  let power = Number(exponent) - fraction.length
  if (digits === 0n) return "0"
  for (; digits % 10n === 0n; power++) digits /= 10n
  return `${mantissa.startsWith("-") ? "-" : ""}${digits}e${power}`
}

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${length}}$`))
const whole = fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9][0-9]{0,24}$/))
const literals = fc
  .tuple(
    fc.constantFrom("", "-"),
    whole,
    fc.option(digits(25), { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom("e", "E", "e+", "e-", "E-"), fc.nat(40)), { nil: undefined })
  )
  .map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole}${fraction === undefined ? "" : `.${fraction}`}${exponent?.join("") ?? ""}`
  )
const wholes = fc
  .tuple(whole, fc.nat(6))
  .map(([whole, zeros]) => (whole === "0" ? whole : `${whole}${"0".repeat(zeros)}`))

describe("a number of a JSON answer", () => {
  for (const [kind, field] of Object.entries({ number, amount })) {
    it(`is recorded by ${kind} as it was written, whatever its digits`, () => {
      const plugin = pluginOf(field, "tokens")
      fc.assert(
        fc.property(fc.array(literals, { minLength: 1, maxLength: most }), (list) => {
          const { observations, refused } = collected(plugin, list)
          assert.deepStrictEqual(refused, [])
          const byMetric = new Map(observations.map((row) => [row.metric, row]))
          list.forEach((literal, at) => {
            const row = byMetric.get(`n_${at}`)
            assert.strictEqual(decimal(row?.value_text ?? String(row?.value)), decimal(literal), literal)
            assert.strictEqual(row?.value, Number(literal) + 0)
          })
        }),
        { numRuns: 200 }
      )
    })
  }

  it("is counted exactly, also from 2^53 on", () => {
    const plugin = pluginOf(count, "count")
    fc.assert(
      fc.property(fc.array(wholes, { minLength: 1, maxLength: most }), (list) => {
        const { observations, refused } = collected(plugin, list)
        assert.deepStrictEqual(refused, [])
        assert.deepStrictEqual(
          observations
            .toSorted((a, b) => Number(a.metric.slice(2)) - Number(b.metric.slice(2)))
            .map(({ value, value_text }) => decimal(value_text ?? String(value))),
          list.map(decimal)
        )
      }),
      { numRuns: 200 }
    )
  })

  it("gives the value of JSON.parse to whatever a double keeps", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const plain: unknown = JSON.parse(text)
        assert.strictEqual(JSON.stringify(parseExactly(text)), JSON.stringify(plain))
      }),
      { numRuns: 500 }
    )
  })

  it("is refused for its reason where no double comes near it, and costs no other", () => {
    const { observations, refused } = collected(pluginOf(number, "tokens"), [
      "1e400",
      "-1E+400",
      "1e-400",
      "7",
      `1${"0".repeat(400)}`,
      "1e99999"
    ])
    assert.deepStrictEqual(
      observations.map(({ metric, value }) => [metric, value]),
      [["n_3", 7]]
    )
    assert.deepStrictEqual(
      refused.map(({ metric }) => metric),
      ["n_0", "n_1", "n_2", "n_4", "n_5"]
    )
    assert.strictEqual(refused[0]?.reason, "got 1e400, a number expected that a double can hold")
  })

  it("is 0 where it is -0", () => {
    assert.deepStrictEqual(parseExactly("[-0, -0.0, -0e5, 0]"), [0, 0, 0, 0])
    assert.deepStrictEqual(parseExactly("-0"), 0)
  })

  it("is not what stands in a text, or in a name", () => {
    const body = `{"9007199254740993":"9007199254740993 \\" -0 1e400","a":[1,-2.5e3,true,null]}`
    assert.deepStrictEqual(parseExactly(body), JSON.parse(body))
  })

  it.effect("is exact in JSON-RPC, in GraphQL, at a place and beside NaN", () =>
    Effect.gen(function* () {
      const stake = "2587219412345678901"
      const [rpcUrl, gql, at] = ["https://rpc.example", "https://gql.example", "https://figures.example"]
      const results = yield* Effect.all([
        rpc(rpcUrl, [{ method: "stake", params: [], result: Schema.Struct({ stake: quantity }) }]),
        query(gql, "{ stake }", Schema.Struct({ stake: number })),
        readingsOf({}, { ask: at, figures: { stake: "stake" } }, "EXN"),
        json(url, Schema.Struct({ stake: count }))
      ]).pipe(
        Effect.provide(
          answers([
            {
              request: post(rpcUrl, { jsonrpc: "2.0", id: 1, method: "stake", params: [] }),
              body: `{"jsonrpc":"2.0","id":1,"result":{"stake":${stake}}}`
            },
            { request: post(gql, { query: "{ stake }" }), body: `{"data":{"stake":${stake}}}` },
            { request: at, body: `{"stake":${stake}}` },
            { request: url, body: `{"stake":${stake},"other":NaN}` }
          ])
        )
      )
      const [call, graph, place, body] = results
      assert.deepStrictEqual(call.body[0].stake, new Decimal(stake))
      assert.deepStrictEqual(graph.data.stake, new Decimal(stake))
      const [reading] = place
      assert.deepStrictEqual(
        reading !== undefined && "values" in reading && reading.values["stake"],
        new Decimal(stake)
      )
      assert.deepStrictEqual(body.body.stake, new Decimal(stake))
    })
  )

  it.effect("is exact in a cell of a CSV answer", () =>
    Effect.gen(function* () {
      const { body } = yield* csv(url, ["n"])
      assert.deepStrictEqual(
        body.map(({ n }) => figure(n)),
        [new Decimal("9007199254740993"), 7]
      )
    }).pipe(Effect.provide(answers([{ request: url, body: "n\n9007199254740993\n7\n" }])))
  )

  it("is a double for a coordinate", () => {
    const read = Schema.decodeUnknownSync(double)
    assert.strictEqual(read(parseExactly("52.10000000000000000001")), 52.1)
    assert.strictEqual(read(parseExactly("52.1")), 52.1)
    assert.throws(() => read("52.1"))
  })
})

describe("figures of exact numbers", () => {
  const big = new Decimal("9007199254740993")

  it("are exact sums, differences, largest values and amounts", () => {
    assert.deepStrictEqual(
      sum([big, 1, new Decimal("0.12345678901234567891")]),
      new Decimal("9007199254740994.12345678901234567891")
    )
    const halves: ReadonlyArray<Numeric> = [2 ** 52 + 1, 2 ** 52]
    assert.deepStrictEqual(sum(halves), big)
    assert.deepStrictEqual(sum([big, new Unreadable("no")]), new Unreadable("no"))
    assert.isUndefined(sum([big, undefined]))
    assert.deepStrictEqual(largest([9007199254740991, big, new Decimal("9007199254740992")]), big)
    assert.deepStrictEqual(difference(big, 0.5), new Decimal("9007199254740992.5"))
    assert.strictEqual(difference(big, new Decimal("9007199254740992")), 1)
    assert.deepStrictEqual(
      difference(new Decimal("9007199254740992"), big),
      new Unreadable("the part 9007199254740993 is more than the whole 9007199254740992")
    )
    assert.strictEqual(exactSum([big, "0.5"]), "9007199254740993.5")
    assert.strictEqual(fromBaseUnits(big, 8), "90071992.54740993")
  })

  it("take part in no arithmetic by mistake", () => {
    assert.throws(() => Number(big), "9007199254740993 has more digits than a double")
    assert.strictEqual(`${big}`, "9007199254740993")
  })
})
