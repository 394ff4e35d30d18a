/** A value that cannot be read keeps its reason on every way to the refusal, and becomes a measured value on none. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { fromBaseUnits } from "../../core/plugin/decimals.ts"
import { byCountry } from "../../core/plugin/shapes/countries.ts"
import { countIn } from "../../core/plugin/shapes/csv.ts"
import { dexValues, type Pair } from "../../core/plugin/shapes/dex.ts"
import {
  at,
  combine,
  difference,
  exactDifference,
  exactSum,
  figure,
  isObject,
  largest,
  size,
  sum,
  tally
} from "../../core/plugin/shapes/fields.ts"
import { byModel, meanPrices } from "../../core/plugin/shapes/gpus.ts"
import { type Numeric, Unreadable, unexpected } from "../../core/plugin/Unreadable.ts"
import { zeroIsBroken } from "../../core/plugin/Upstream.ts"
import { endOfDay } from "../../core/plugin/Value.ts"

const reason = new Unreadable("the crawl has not run")

describe("a reason", () => {
  it("says what came and what was expected, in few characters and without what may be a secret", () => {
    const reasonOf = (value: unknown) => unexpected(value, "a number").reason
    assert.strictEqual(reasonOf("12,345"), 'got "12,345", a number expected')
    assert.strictEqual(reasonOf('"\n'), 'got "\\"\\n", a number expected')
    assert.strictEqual(
      reasonOf(12345678901234567890123456789n),
      "got 123456789012345678901234, a number expected"
    )
    assert.strictEqual(reasonOf({ token: "abc" }), "got an object, a number expected")
    assert.strictEqual(reasonOf(["abc"]), "got a list, a number expected")
    assert.strictEqual(reasonOf(null), "got null, a number expected")
    const token = "ghp_".padEnd(40, "k")
    assert.notInclude(reasonOf(token), token.slice(0, 25))
    assert.isAtMost(new Unreadable("a".repeat(1000)).reason.length, 200)
  })

  it("is the first one: a value that cannot be read stays so", () => {
    assert.strictEqual(unexpected(reason, "a number"), reason)
    for (const read of [figure, size, tally]) assert.strictEqual(read(reason), reason)
  })

  it("is that of the step of a path that is no object", () => {
    const odd = new Unreadable('got "low", an object with usd expected')
    assert.deepStrictEqual(size(at({ liquidity: "low" }, "liquidity", "usd", "now")), odd)
    assert.isFalse(isObject(at({ liquidity: "low" }, "liquidity", "usd")))
  })

  it("of a 0 is that the upstream is broken", () => {
    for (const zero of [0, -0, "0", "0.00", 0n]) {
      assert.match(String(zeroIsBroken(zero)), /^got 0(\.00)?, which the upstream says when it is broken$/)
    }
    for (const value of [1, "0.1", 7n, null, undefined, reason, "n/a"]) {
      assert.strictEqual(zeroIsBroken(value), value)
    }
  })
})

describe("an unreadable value", () => {
  const ways: Readonly<Record<string, unknown>> = {
    combine: combine([1, reason], ([a, b]) => a + b),
    sum: sum([1, reason, null]),
    largest: largest([1, reason]),
    "the whole": difference(reason, 1),
    "the part": difference(1, reason),
    exactSum: exactSum(["1", reason]),
    exactDifference: exactDifference("1", reason),
    fromBaseUnits: fromBaseUnits(reason, 18),
    endOfDay: endOfDay(reason),
    byCountry: byCountry([["DE", reason]])["nodes_country_DE"],
    byModel: byModel([{ model: "H100", allocatable: reason }])["gpu_allocatable_h100"],
    "a price": meanPrices([{ model: "h100", usd: reason, weight: 1 }])["gpu_price_h100"],
    "a weight": meanPrices([{ model: "h100", usd: 2, weight: reason }])["gpu_price_h100"]
  }

  it.each(Object.entries(ways))("keeps its reason in %s", (_, actual) => assert.strictEqual(actual, reason))

  it("keeps its reason in every figure of a token's pairs that it may change", () => {
    const pair: Pair = { venue: "a", price: 2, swaps: 3, volume: 4, liquidity: 5 }
    const [swaps, liquidity, volume] = [
      dexValues([pair, { ...pair, swaps: reason }]),
      dexValues([pair, { ...pair, liquidity: reason }]),
      dexValues([pair, { ...pair, volume: reason }])
    ]
    assert.deepInclude(swaps, { dex_swaps_24h: reason, dex_pairs_active: reason, dex_venues_active: reason })
    assert.deepInclude(liquidity, { dex_price_usd: reason, dex_liquidity_usd: reason, dex_swaps_24h: 6 })
    assert.deepInclude(volume, { dex_price_usd: 2, dex_volume_24h_usd: reason })
  })

  it("stands for a text that is no number, where nothing is not an amount", () => {
    assert.deepStrictEqual(fromBaseUnits("n/a", 18), unexpected("n/a", "a number"))
    assert.isUndefined(fromBaseUnits(null, 18))
    assert.deepStrictEqual(countIn("-1"), unexpected("-1", "a count"))
    assert.isUndefined(countIn(""))
  })

  it("is in no total, wherever it is among the parts", () => {
    const part = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(null, undefined))
    fc.assert(
      fc.property(fc.array(part), fc.array(part), (before, after) => {
        const parts = [...before, reason, ...after]
        for (const total of [sum(parts), largest(parts), exactSum(parts), combine(parts, () => 1)]) {
          assert.instanceOf(total, Unreadable)
        }
      })
    )
  })

  it("has no order and is no number: neither for the compiler nor for what it does not see", () => {
    const [one, other]: ReadonlyArray<Numeric> = [reason, 7]
    if (one === undefined || other === undefined) return
    // @ts-expect-error
    assert.throws(() => one > 0, /used as a number: the crawl has not run/)
    // @ts-expect-error
    assert.throws(() => one * 2, /used as a number/)
    // @ts-expect-error
    assert.throws(() => one + 1, /used as a number/)
    // @ts-expect-error
    assert.throws(() => Math.max(one, 0), /used as a number/)
    // Two that may both be unreadable compile.
    assert.throws(() => one < other, /used as a number/)
    assert.throws(() => Number(one), /used as a number/)
    assert.strictEqual(`${one}`, "the crawl has not run")
  })
})
