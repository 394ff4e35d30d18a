import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Decimal } from "../../core/plugin/Decimal.ts"
import {
  amount,
  count,
  exact,
  exactDifference,
  exactSum,
  figure,
  moment,
  number,
  quantity,
  size,
  tally,
  text
} from "../../core/plugin/shapes/fields.ts"
import { Unreadable, unexpected } from "../../core/plugin/Unreadable.ts"

describe("a number of an answer", () => {
  const read = (value: unknown) =>
    Schema.decodeUnknownSync(Schema.Struct({ count, number, quantity }))({
      count: value,
      number: value,
      quantity: value
    })

  it("is read from a number and from its decimal text", () => {
    assert.deepStrictEqual(read(7), { count: 7, number: 7, quantity: 7 })
    assert.deepStrictEqual(read("7"), { count: 7, number: 7, quantity: 7 })
    assert.deepStrictEqual(read("0"), { count: 0, number: 0, quantity: 0 })
    const large = new Decimal("9100000000000000000")
    assert.deepStrictEqual(read(9.1e18), { count: large, number: large, quantity: large })
  })

  it("is nothing where it is null or missing", () => {
    assert.deepStrictEqual(read(null), { count: null, number: null, quantity: null })
    assert.deepStrictEqual(Schema.decodeUnknownSync(Schema.Struct({ count }))({}), {})
  })

  it("cannot be read, and costs no other field, where it is no number or an impossible one", () => {
    for (const [value, described] of [
      ["", '""'],
      ["NaN", '"NaN"'],
      ["12,345", '"12,345"'],
      [true, "true"],
      [["a secret"], "a list"],
      [{ a: "secret" }, "an object"],
      [Infinity, "Infinity"]
    ] as const) {
      const none = new Unreadable(`got ${described}, a number expected`)
      assert.deepStrictEqual(read(value), { count: none, number: none, quantity: none })
    }
    const below = new Unreadable("got -5, at least 0 expected")
    assert.deepStrictEqual(read(-5), { count: below, number: -5, quantity: below })
    const broken = new Unreadable('got "0.5", a whole number expected')
    assert.deepStrictEqual(read("0.5"), { count: broken, number: 0.5, quantity: 0.5 })
  })
})

describe("a value that was taken out of an entry", () => {
  it("is read as the field of the same kind", () => {
    const Row = Schema.Struct({ number, quantity, count, amount })
    for (const value of [7, "7", "0.5", 0, -1, "", "n/a", true, [], null]) {
      const field = Schema.decodeUnknownSync(Row)({
        number: value,
        quantity: value,
        count: value,
        amount: value
      })
      assert.deepStrictEqual(
        [figure(value), size(value), tally(value), exact(value)],
        [
          field.number ?? undefined,
          field.quantity ?? undefined,
          field.count ?? undefined,
          field.amount ?? null
        ]
      )
    }
  })
})

describe("a time of an answer", () => {
  const read = (value: unknown) =>
    Schema.decodeUnknownSync(Schema.Struct({ moment }))({ moment: value }).moment
  const at = Date.parse("2026-09-05T10:30:00Z")

  it("is read from ISO 8601 text, and from seconds and milliseconds, also as text", () => {
    for (const value of ["2026-09-05T10:30:00Z", "2026-09-05 10:30", at, at / 1000, String(at / 1000)]) {
      assert.strictEqual(read(value), at)
    }
    assert.strictEqual(read("1999-12-31"), Date.parse("1999-12-31T00:00:00Z"))
  })

  it("is nothing where it is null, and cannot be read where it is none", () => {
    assert.isNull(read(null))
    for (const value of ["", "yesterday", "2026-02-31", -1, true, {}]) {
      assert.deepStrictEqual(read(value), unexpected(value, "a time"))
    }
  })
})

describe("a text of an answer", () => {
  const read = (value: unknown) =>
    Schema.decodeUnknownSync(Schema.Struct({ text, count }))({ text: value, count: 1 })

  it("is a text, or that of a number, and not told where it is neither", () => {
    assert.deepStrictEqual(read("UP"), { text: "UP", count: 1 })
    assert.deepStrictEqual(read(7.5), { text: "7.5", count: 1 })
    for (const value of [null, true, [], {}]) assert.deepStrictEqual(read(value), { text: null, count: 1 })
    assert.deepStrictEqual(Schema.decodeUnknownSync(Schema.Struct({ text }))({}), {})
  })
})

describe("exactDifference", () => {
  it("keeps every digit, also of what a double cannot hold", () => {
    assert.strictEqual(exactDifference("2431689002200311", "2431189002200310"), "500000000001")
    assert.strictEqual(exactDifference("90071992547409930.25", "90071992547409929.5"), "0.75")
    assert.strictEqual(exactDifference("1", "2.5"), "-1.5")
    assert.strictEqual(exactDifference("0.5", "0.25"), "0.25")
    assert.strictEqual(exactDifference("7", "7"), "0")
  })

  it("is nothing where either was not measured, and cannot be read where either is no number", () => {
    assert.isUndefined(exactDifference(undefined, "1"))
    assert.isUndefined(exactDifference("1", null))
    assert.deepStrictEqual(exactDifference("", null), unexpected("", "a number"))
    assert.deepStrictEqual(exactDifference("1", "n/a"), unexpected("n/a", "a number"))
  })
})

describe("exactSum", () => {
  it("keeps every digit, and no negative part hides in it", () => {
    assert.strictEqual(exactSum(["90071992547409930", 7, "0.25"]), "90071992547409937.25")
    assert.isUndefined(exactSum(["1", null]))
    assert.isUndefined(exactSum([]))
    assert.deepStrictEqual(exactSum([5, "-0.5"]), unexpected("-0.5", "at least 0"))
  })
})
