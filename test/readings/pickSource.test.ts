import { assert, describe, it } from "@effect/vitest"
import { networks } from "../../core/catalog/Catalog.ts"
import { pickSource } from "../../core/readings/read/pickSource.ts"

describe("of several sources", () => {
  it("the newest answers, of equals the first by name", () => {
    const [a, b, c] = ["a", "b", "c"].map((source) => ({ source, asOf: source === "a" ? 1 : 2 }))
    assert.strictEqual(
      pickSource(
        "FIL",
        "no_such_metric",
        [c, a, b].flatMap((it) => it ?? [])
      )?.source,
      "b"
    )
  })

  it("one that was reviewed answers, however old, before one that was not, which answers where it is alone", () => {
    const reviewed = { source: "zz_ours", asOf: 1 }
    const [young, old] = [2, 1].map((asOf) => ({ source: "outside_acme", asOf }))
    if (young === undefined || old === undefined) return assert.fail()
    assert.strictEqual(pickSource("FIL", "no_such_metric", [young, reviewed]), reviewed)
    assert.strictEqual(pickSource("FIL", "no_such_metric", [reviewed, young]), reviewed)
    assert.strictEqual(pickSource("FIL", "no_such_metric", [old, young]), young)
  })

  it("none answers where there is none", () => {
    assert.isUndefined(pickSource("FIL", "nodes_online", []))
  })

  it("the catalog's primary answers, however old, and only while it has a row", () => {
    const network = networks.find(({ primary }) => primary !== undefined)
    if (network?.primary === undefined) return assert.fail("the catalog names no primary source")
    const [metric = "", source = ""] = Object.entries(network.primary)[0] ?? []
    const old = { source, asOf: 1 }
    const young = { source: "zz_other", asOf: 2 }
    assert.strictEqual(pickSource(network.symbol, metric, [young, old]), old)
    assert.strictEqual(pickSource(network.symbol, metric, [young]), young)
  })
})
