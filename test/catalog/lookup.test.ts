import { assert, describe, it } from "@effect/vitest"
import { networks } from "../../core/catalog/Catalog.ts"
import { findSymbol, mostSuggestions, searchNetworks } from "../../core/catalog/lookup.ts"

const suggested = (text: string): ReadonlyArray<string> => {
  const lookup = findSymbol(text)
  return "suggestions" in lookup ? lookup.suggestions : assert.fail(`${text} is ${lookup.symbol}`)
}

describe("a network is found", () => {
  it("by its symbol in any case and by its whole name, every one of the catalog", () => {
    for (const { name, symbol } of networks) {
      for (const text of [symbol, symbol.toLowerCase(), symbol.toUpperCase(), ` ${symbol} `]) {
        assert.deepStrictEqual(findSymbol(text), { symbol }, text)
      }
      // A name may be the symbol of another network, and the symbol comes first.
      const other = networks.find((network) => network.symbol.toLowerCase() === name.toLowerCase())
      assert.deepStrictEqual(findSymbol(name.toUpperCase()), { symbol: other?.symbol ?? symbol }, name)
    }
  })

  it("or suggested, by a slip, by a part of its name, by words that describe it", () => {
    assert.strictEqual(suggested("Filecion")[0], "FIL")
    assert.strictEqual(suggested("filcoin")[0], "FIL")
    assert.strictEqual(suggested("AKTT")[0], "AKT")
    assert.strictEqual(suggested("akash")[0], "AKT")
    assert.strictEqual(suggested("hivemaper")[0], "HONEY")
    assert.strictEqual(suggested("subnet 5")[0], "SN5")
    assert.deepStrictEqual(
      ["SN01", "sn064", "SN00"].map((text) => suggested(text)[0]),
      ["SN1", "SN64", "SN0"]
    )
    assert.include(suggested("decentralized storage"), "DEST")
    assert.isAtMost(suggested("storage").length, mostSuggestions)
  })

  it("never by a text that names nothing", () => {
    const long = "fil ".repeat(100_000)
    for (const text of ["", " ", ".", "x".repeat(100_000), "\u0000"])
      assert.deepStrictEqual(suggested(text), [])
    for (const text of ["__proto__", "constructor", "SN129", long]) assert.notInclude(suggested(text), text)
  })
})

describe("a search", () => {
  it("finds by any of its words, those first that all words describe", () => {
    const symbols = searchNetworks("decentralized storage")
    assert.strictEqual(symbols[0], "DEST")
    for (const { category, symbol } of networks) {
      if (category === "storage") assert.include(symbols, symbol)
    }
    assert.strictEqual(new Set(symbols).size, symbols.length)
  })

  it("finds a part of a word after whole words and their beginnings", () => {
    assert.include(searchNetworks("coin"), "FIL")
    const symbols = searchNetworks("stor")
    const [begins, within] = [symbols.indexOf("STORJ"), searchNetworks("chain").indexOf("WSTOR")]
    assert.strictEqual(begins, 0)
    assert.isAbove(within, searchNetworks("chain").indexOf("CHAIN"))
    assert.deepStrictEqual(searchNetworks(" "), [])
    assert.deepStrictEqual(searchNetworks("no-such-network-qqzz"), [])
  })
})
