import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { factor, isMissing, seedOf, swing, walked } from "../../runtime/tape/walk.ts"

const base = Date.parse("2026-09-05T11:00:00Z")
const day = 86_400_000
const time = fc.integer({ min: base - 31 * day, max: base + 7 * day })
const seed = fc.string().map(seedOf)

describe("a walk", () => {
  it("is the same for the same seed and time, and is the base at its time", () => {
    fc.assert(
      fc.property(seed, time, (seed, ms) => {
        assert.strictEqual(factor({}, seed, base, ms), factor({}, seed, base, ms))
        assert.strictEqual(factor({}, seed, base, base), 1)
        assert.strictEqual(factor({ monotone: true }, seed, base, base), 1)
      })
    )
  })

  it("stays within its swing", () => {
    fc.assert(
      fc.property(seed, time, (seed, ms) => {
        const by = factor({}, seed, base, ms)
        assert.isAtLeast(by, 1 - 2 * swing)
        assert.isAtMost(by, 1 + 2 * swing)
      })
    )
  })

  it("differs between seeds and between days", () => {
    const at = (text: string, ms: number) => factor({}, seedOf(text), base, ms)
    assert.notStrictEqual(at("a", base - day), at("b", base - day))
    const days = Array.from({ length: 20 }, (_, index) => at("a", base - index * day))
    assert.isAbove(new Set(days).size, 15)
  })

  it("never falls where it is monotone", () => {
    fc.assert(
      fc.property(seed, time, time, fc.nat({ max: 2 ** 40 }), (seed, a, b, value) => {
        const walk = { monotone: true }
        const at = (ms: number) => Number(walked(walk, String(value), factor(walk, seed, base, ms)))
        const [early, late] = a < b ? [a, b] : [b, a]
        assert.isAtMost(at(early), at(late))
      })
    )
  })

  it("never rises where it is what is left of something", () => {
    fc.assert(
      fc.property(seed, time, time, fc.nat({ max: 2 ** 40 }), (seed, a, b, value) => {
        const walk = { monotone: true, left: true }
        const at = (ms: number) => Number(walked(walk, String(value), factor(walk, seed, base, ms)))
        const [early, late] = a < b ? [a, b] : [b, a]
        assert.isAtLeast(at(early), at(late))
      })
    )
  })

  it("keeps whole numbers whole, and the decimals and quotes of others", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        fc.double({ min: 0.9, max: 1.1, noNaN: true }),
        (value, by) => {
          assert.match(walked({}, String(value), by), /^-?\d+$/)
          assert.match(walked({}, `"${value}"`, by), /^"-?\d+"$/)
          assert.match(walked({}, `${value}.25`, by), /^-?\d+\.\d\d$/)
        }
      )
    )
  })

  it("keeps a large whole number exact to nine digits", () => {
    assert.strictEqual(walked({}, "20000000000000000000", 1.01), "20200000000000000000")
  })

  it("holds its bounds", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0.5, max: 1.5, noNaN: true }),
        (value, by) => {
          const walk = { min: 0, max: 100 }
          const after = Number(walked(walk, value.toFixed(3), by))
          assert.isAtLeast(after, 0)
          assert.isAtMost(after, 100)
        }
      )
    )
  })

  it("leaves a measured zero at zero, and what is no number as it is", () => {
    assert.strictEqual(walked({}, "0", 1.05), "0")
    assert.strictEqual(walked({}, '"0"', 1.05), '"0"')
    for (const text of ["null", "true", '"n/a"', '""', '"0x"'])
      assert.strictEqual(walked({}, text, 1.05), text)
  })

  it("keeps the width of hexadecimal numbers, and their end", () => {
    assert.strictEqual(walked({ form: "be" }, '"0x0064"', 1.05), '"0x0069"')
    assert.strictEqual(walked({ form: "le" }, '"0x6400"', 1.05), '"0x6900"')
    assert.strictEqual(walked({ form: "be" }, '"0xff"', 1.05), '"0xff"')
    assert.strictEqual(walked({ form: "le" }, '"0x0"', 1.05), '"0x0"')
  })

  it("lets a list miss a tenth of its items at most, and none at its own time", () => {
    fc.assert(
      fc.property(seed, seed, time, (list, item, ms) => {
        assert.isFalse(isMissing(list, item, base, base))
        const missing = Array.from({ length: 1000 }, (_, index) => isMissing(list, item + index, base, ms))
        assert.isAtMost(missing.filter(Boolean).length, 150)
      }),
      { numRuns: 30 }
    )
  })
})
