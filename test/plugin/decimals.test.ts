/** Numbers as plain decimal texts. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { decimalText } from "../../core/plugin/decimals.ts"

const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc
    .tuple(fc.integer(), fc.integer({ min: -30, max: 30 }))
    .map(([digits, exponent]) => Number(`${digits}e${exponent}`))
)

describe("decimalText", () => {
  it("gives a number the text that the same number has as a text, which reads back as that number", () => {
    fc.assert(
      fc.property(numbers, (number) => {
        const text = decimalText(number)
        assert.strictEqual(text, decimalText(` ${number} `))
        assert.match(text ?? "", /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/)
        assert.strictEqual(Number(text), number === 0 ? 0 : number)
      }),
      { numRuns: 2000 }
    )
  })

  it.each([
    [-0, "0"],
    [1e21, "1000000000000000000000"],
    [-1.5e-7, "-0.00000015"],
    [100, "100"],
    [0.1, "0.1"]
  ])("writes %d without an exponent", (number, text) => assert.strictEqual(decimalText(number), text))

  it.each([Number.NaN, Number.POSITIVE_INFINITY, "", "1e99999", "0x10", "1,5", "NaN"])(
    "has none for %s",
    (value) => assert.isUndefined(decimalText(value))
  )
})
