import { assert, describe, it } from "@effect/vitest"
import { exactDifference } from "../../core/plugin/shapes/fields.ts"

describe("exactDifference", () => {
  it("keeps every digit, also of what a double can not hold", () => {
    assert.strictEqual(exactDifference("2431689002200311", "2431189002200310"), "500000000001")
    assert.strictEqual(exactDifference("90071992547409930.25", "90071992547409929.5"), "0.75")
    assert.strictEqual(exactDifference("1", "2.5"), "-1.5")
    assert.strictEqual(exactDifference("0.5", "0.25"), "0.25")
    assert.strictEqual(exactDifference("7", "7"), "0")
  })

  it("is nothing where either was not measured or is no number", () => {
    assert.isUndefined(exactDifference(undefined, "1"))
    assert.isUndefined(exactDifference("1", null))
    assert.isUndefined(exactDifference("", "1"))
    assert.isUndefined(exactDifference("1", "n/a"))
  })
})
