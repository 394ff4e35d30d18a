import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { subnetSymbols } from "../../core/catalog/Catalog.ts"
import { sample } from "../../core/readings/read/sample.ts"

const isSubnet = new Set(subnetSymbols)
const named = (n: number) => Array.from({ length: n }, (_, i) => `A${String(i).padStart(3, "0")}`)
const symbols = fc
  .tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 129 }))
  .map(([n, m]) => [...named(n), ...subnetSymbols.slice(0, m)].sort())

describe("the sample", () => {
  it("keeps its size, a quarter of the whole, and three subnets, on any day", () => {
    fc.assert(
      fc.property(symbols, fc.integer({ min: 1, max: 60 }), fc.nat(40_000), (all, size, today) => {
        const subset = sample(all, size, today)
        assert.strictEqual(new Set(subset).size, subset.length)
        assert.deepStrictEqual(subset, [...subset].sort())
        assert.isTrue(subset.every((symbol) => all.includes(symbol)))
        assert.isAtMost(subset.length, size)
        assert.isAtMost(subset.length, Math.max(all.length / 4, 1))
        assert.isAtMost(subset.filter((symbol) => isSubnet.has(symbol)).length, 3)
        if (all.length > 0) assert.isAbove(subset.length, 0)
      })
    )
  })

  it("has those of a smaller sample, and beside them others in their turn", () => {
    const all = [...named(300), ...subnetSymbols].sort()
    const measured = all.filter((_, n) => n % 2 === 0)
    const days = Array.from({ length: 200 }, (_, n) => 20_000 + n)
    const larger = days.map((today) => {
      const smaller = sample(measured, 12, today)
      const of = sample(all, 40, today, { first: smaller })
      assert.includeMembers([...of], [...smaller])
      assert.strictEqual(of.length, 40)
      assert.isAtMost(of.filter((symbol) => isSubnet.has(symbol)).length, 3)
      return of
    })
    assert.includeMembers(larger.flat(), named(300))
    // A larger sample is never more than its size.
    assert.lengthOf(sample(all, 5, 20_000, { first: sample(measured, 12, 20_000) }), 5)
  })

  it("has no network without a live series while one with them is left out, and each of these in its turn", () => {
    const all = named(160)
    const live = all.filter((_, n) => n % 3 === 0)
    const isLive = (symbol: string) => live.includes(symbol)
    const days = Array.from({ length: 60 }, (_, n) => sample(all, 40, 20_000 + n, { isLive }))
    assert.isTrue(days.flat().every(isLive))
    assert.sameMembers([...new Set(days.flat())], live)
    // Fewer live ones than there is room for are all there, and others beside them.
    const few = sample(all, 40, 20_000, { isLive: (symbol) => symbol === "A007" })
    assert.include(few, "A007")
    assert.lengthOf(few, 40)
  })

  it("is full where there are networks enough", () => {
    assert.strictEqual(sample([...named(100), ...subnetSymbols].sort(), 12, 20_000).length, 12)
  })

  it("is the same all day, another the next, and shows every network in its turn", () => {
    const all = [...named(41), ...subnetSymbols].sort()
    assert.deepStrictEqual(sample(all, 12, 20_000), sample(all, 12, 20_000))
    assert.notDeepEqual(sample(all, 12, 20_000), sample(all, 12, 20_001))
    const union = new Set(Array.from({ length: 43 }, (_, n) => sample(all, 12, 20_000 + n)).flat())
    assert.deepStrictEqual([...union].sort(), all)
  })
})
