/** Our own codings against those of the platform. */
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  compareBytes,
  fromBase64,
  fromBase64Url,
  fromHex,
  fromUtf8,
  Malformed,
  toBase64,
  toBase64Url,
  toHex,
  utf8
} from "../../core/proof/bytes.ts"

const bytes = fc.uint8Array({ maxLength: 80 })

describe("codings of bytes", () => {
  it("agree with the platform's and are inverse", () => {
    fc.assert(
      fc.property(bytes, (value) => {
        assert.strictEqual(toBase64(value), Buffer.from(value).toString("base64"))
        assert.strictEqual(toBase64Url(value), Buffer.from(value).toString("base64url"))
        assert.strictEqual(toHex(value), Buffer.from(value).toString("hex"))
        assert.deepStrictEqual(fromBase64(toBase64(value)), value)
        assert.deepStrictEqual(fromBase64Url(toBase64Url(value)), value)
        assert.deepStrictEqual(fromHex(toHex(value)), value)
      })
    )
  })

  it("write and read UTF-8 as the platform does", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        assert.deepStrictEqual(utf8(text), new Uint8Array(Buffer.from(text, "utf8")))
        assert.strictEqual(fromUtf8(utf8(text)), text)
      })
    )
    const long = "é".repeat(10_000)
    assert.strictEqual(fromUtf8(utf8(long)), long)
  })

  it("read exactly the bytes that the platform reads as UTF-8", () => {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
    const wild = fc.oneof(
      bytes,
      fc.uint8Array({ min: 0x80, maxLength: 4 }),
      fc
        .constantFrom("c080", "eda080", "f4908080", "e28", "f08080af", "efbfbf")
        .map((hex) => Buffer.from(hex, "hex"))
    )
    fc.assert(
      fc.property(wild, (value) => {
        let expected: string | undefined
        try {
          expected = decoder.decode(value)
        } catch {}
        if (expected === undefined) assert.throws(() => fromUtf8(value), Malformed)
        else assert.strictEqual(fromUtf8(value), expected)
      }),
      { numRuns: 500 }
    )
  })

  it("refuse a second spelling", () => {
    for (const text of ["A", "AA", "AA=", "AB==", "AAB=", "A-==", "AA==\n", " AAAA"]) {
      assert.throws(() => fromBase64(text), Malformed)
    }
    for (const text of ["A", "AB", "AA==", "A+AA"]) assert.throws(() => fromBase64Url(text), Malformed)
    for (const text of ["0", "AB", "0x", "zz"]) assert.throws(() => fromHex(text), Malformed)
    assert.throws(() => fromHex("00", 2), /expected 2 bytes/)
    assert.throws(() => utf8("\ud800"), Malformed)
  })

  it("are ordered byte by byte, the shorter first", () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        assert.strictEqual(Math.sign(compareBytes(a, b)), Buffer.compare(a, b))
      })
    )
  })
})
