/** The strict JSON reader: one text, one meaning. */
import { assert, describe, it } from "vitest"
import { Malformed } from "../../core/proof/bytes.ts"
import { parseCanonical } from "../../core/proof/canonical.ts"
import { jsonLimits, parseJson } from "../../core/proof/json.ts"

const refuses = (text: string, why: RegExp) => {
  assert.throws(() => parseJson(text), Malformed)
  assert.throws(() => parseJson(text), why)
}

describe("JSON is read", () => {
  it("as the platform reads it, white space and escapes included", () => {
    for (const text of [
      '{"a":[1,-2,0.1,1e-7,1e+21,true,null,"\\u00e9\\ud83d\\ude00 \\/"],"b":{}}',
      ' \t\r\n{ "a" : [ ] }\n',
      '{"__proto__":{"a":1},"constructor":2}',
      '"text"',
      "50000000000000000000"
    ]) {
      assert.deepStrictEqual(parseJson(text), JSON.parse(text))
    }
  })

  it("only if no member is there twice, however it is spelled, and says where", () => {
    refuses('{"a":1,"a":1}', /"a" is there twice, at character 8/)
    refuses('{"a":1,"\\u0061":2}', /"a" is there twice/)
    refuses('{"x":[{"y":{"b":1,"c":2,"b":3}}]}', /"b" is there twice, in x\.0\.y, at character 25/)
    refuses('{"__proto__":1,"__proto__":2}', /twice/)
    assert.deepStrictEqual(parseJson('[{"a":1},{"a":2,"b":{"a":3}}]'), [{ a: 1 }, { a: 2, b: { a: 3 } }])
  })

  it("only in numbers that a double spells so", () => {
    for (const number of ["1.0", "1e0", "-0", "0.10", "1E3", "9007199254740993", "1e400"])
      refuses(`{"a":[${number}]}`, /in a\.0, at character 7/)
  })

  it("without lone surrogates, in names as in values", () => {
    refuses('{"a":"\\ud83d"}', /lone surrogate in the JSON, at character 6/)
    refuses('{"\\ude00":1}', /lone surrogate/)
    refuses('["\ud83d"]', /lone surrogate/)
  })

  it("to a depth and a length", () => {
    const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
    assert.deepStrictEqual(parseJson(deep(jsonLimits.depth)), JSON.parse(deep(jsonLimits.depth)))
    refuses(deep(jsonLimits.depth + 1), /nested deeper than 64, at character 65/)
    refuses("[".repeat(1_000_000), /nested deeper/)
    refuses(`"${"a".repeat(jsonLimits.length)}"`, /longer than/)
  })

  it("whole, and nothing around it", () => {
    for (const text of [
      "",
      " ",
      "{}{}",
      "{} x",
      "{}\0",
      "\ufeff{}",
      "\u00a0{}",
      "{'a':1}",
      "{a:1}",
      "[1,]",
      '{"a":1,}',
      "[,1]",
      "[1 2]",
      "// no\n{}",
      "{/* no */}",
      "01",
      "+1",
      ".5",
      "1.",
      "0x10",
      "NaN",
      "-Infinity",
      "undefined",
      "TRUE",
      '"\\x41"',
      '"\\u00g0"',
      '"a\nb"',
      '"a\0b"',
      '"open',
      '{"a"}',
      '{"a":}',
      "[",
      "]",
      "{]"
    ]) {
      refuses(text, /JSON/)
    }
  })
})

describe("canonical JSON", () => {
  it("says where a text begins to differ", () => {
    assert.throws(() => parseCanonical('{"a":1, "b":2}'), /at character 8/)
    assert.throws(() => parseCanonical('{"a":1,"a":1}'), /at character 7/)
    assert.throws(() => parseCanonical('{"a":1.0}'), /at character 7/)
  })
})
