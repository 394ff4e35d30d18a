/** RFC 8785: the RFC's own vectors, and what must be refused. */
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Malformed, toHex, utf8 } from "../../core/proof/bytes.ts"
import { canonical, parseCanonical } from "../../core/proof/canonical.ts"

const double = (bits: string): number => {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, BigInt(`0x${bits}`))
  return view.getFloat64(0)
}

describe("canonical JSON", () => {
  it("is RFC 8785's sample of section 3.2.2 and 3.2.4", () => {
    const sample = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`)
    assert.strictEqual(
      toHex(utf8(canonical(sample))),
      "7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e" +
        "333333333333332c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c75303030665c" +
        "6e4127425c225c5c5c5c5c222f227d"
    )
  })

  it("sorts keys by UTF-16 code units (section 3.2.3)", () => {
    const sample = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }
    assert.strictEqual(
      canonical(sample),
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis",' +
        '"\u20ac":"Euro Sign","\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}'
    )
  })

  it.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"]
  ])("prints the double %s of appendix B as %s", (bits, text) => {
    assert.strictEqual(canonical(double(bits)), text)
  })

  it("refuses what JSON does not have", () => {
    const bad: ReadonlyArray<unknown> = [
      undefined,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1n,
      Symbol("x"),
      () => 1,
      new Date(0),
      new Map(),
      new Uint8Array(1),
      { a: undefined },
      [undefined],
      new Array(1),
      "\ud800",
      { "\udc00": 1 }
    ]
    for (const value of bad) assert.throws(() => canonical(value), Malformed)
    let deep: unknown = 1
    for (let level = 0; level < 10_000; level++) deep = [deep]
    assert.throws(() => canonical(deep), /nested deeper/)
  })

  it("is read back only in its own spelling", () => {
    assert.deepStrictEqual(parseCanonical('{"a":1,"b":[null]}'), { a: 1, b: [null] })
    for (const text of ['{"b":1,"a":1}', '{"a": 1}', '{"a":1.0}', '{"a":1,"a":1}', '"\\u0041"', "{", ""]) {
      assert.throws(() => parseCanonical(text), Malformed)
    }
  })

  it("gives back any JSON value and never depends on the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (value) => {
        const text = canonical(value)
        const again = JSON.parse(text)
        assert.strictEqual(canonical(again), text)
        assert.deepStrictEqual(again, JSON.parse(JSON.stringify(value)))
        if (value !== null && typeof value === "object" && !Array.isArray(value)) {
          assert.strictEqual(canonical(Object.fromEntries(Object.entries(value).reverse())), text)
        }
      })
    )
  })
})
