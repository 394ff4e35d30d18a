/** Relations between the figures of a run: what contradicts them is refused by name, with both numbers. */
import { assert, describe, it } from "@effect/vitest"
import {
  applyRelations,
  atMost,
  equal,
  isNeverFalling,
  neverFalls,
  partOf,
  type Relation,
  sumOf
} from "../../core/plugin/relations.ts"
import type { Observation } from "../../core/plugin/Value.ts"

const row = (metric: string, value: number, changed: Partial<Observation> = {}): Observation => ({
  symbol: "AKT",
  metric,
  value,
  unit: "count",
  source: "console",
  verify_url: "https://example.org",
  as_of: "2026-11-20T12:00:00Z",
  ...changed
})

/** Why relations do not hold; the empty text for one that was compared and holds. */
const reasons = (relation: Relation, rows: ReadonlyArray<Observation>) =>
  applyRelations([relation], rows).map(({ broken = "" }) => broken)

describe("a part", () => {
  it("is at most its whole, and as large as it at most", () => {
    const relation = partOf("in_use", "total")
    assert.deepStrictEqual(reasons(relation, [row("in_use", 120), row("total", 120)]), [""])
    assert.deepStrictEqual(reasons(relation, [row("in_use", 121), row("total", 120)]), [
      "in_use 121 is more than total 120, of which it is a part"
    ])
  })

  it("is compared within its symbol, and where there are several rows within its source and time", () => {
    const relation = partOf("in_use", "total")
    assert.deepStrictEqual(reasons(relation, [row("in_use", 9, { symbol: "FIL" }), row("total", 1)]), [
      "in_use 9 cannot be compared: total is missing",
      ""
    ])
    assert.deepStrictEqual(
      reasons(relation, [
        row("in_use", 9, { as_of: "2026-11-21T12:00:00Z" }),
        row("total", 1),
        row("total", 10, { as_of: "2026-11-21T12:00:00Z" })
      ]),
      ["", ""],
      "the other day's total stands without a part"
    )
    const others = [row("total", 1, { source: "a" }), row("total", 2, { source: "b" })]
    assert.deepStrictEqual(
      reasons(relation, [row("in_use", 9), ...others]).filter((reason) => reason !== ""),
      [],
      "of two others nobody knows which one it is"
    )
  })

  it("of a family is compared with the member of the same word, or with the one whole", () => {
    const rows = [
      row("used_h100", 3),
      row("all_h100", 2),
      row("used_a100", 1),
      row("all_a100", 2),
      row("all", 2)
    ]
    assert.deepStrictEqual(reasons(partOf("used_*", "all_*"), rows), [
      "used_h100 3 is more than all_h100 2, of which it is a part",
      ""
    ])
    assert.deepStrictEqual(reasons(partOf("used_*", "all"), rows), [
      "used_h100 3 is more than all 2, of which it is a part",
      ""
    ])
  })

  it("is with others at most their whole together", () => {
    const relation = partOf(["a", "b"], "all")
    assert.deepStrictEqual(reasons(relation, [row("a", 1), row("b", 2), row("all", 3)]), [""])
    assert.deepStrictEqual(reasons(relation, [row("a", 2), row("b", 2), row("all", 3)]), [
      "a, b are 4 together, more than all 3, of which they are parts"
    ])
    assert.deepStrictEqual(
      reasons(relation, [row("a", 4), row("all", 3)]),
      ["a, b are 4 together, more than all 3, of which they are parts"],
      "a part alone is at most the whole as well"
    )
  })
})

describe("a sum", () => {
  const relation = sumOf("all", ["mw_*"], { words: ["nuclear", "wind"] })

  it("is the sum of its parts, whatever the rounding of doubles", () => {
    assert.deepStrictEqual(
      reasons(relation, [row("all", 0.3), row("mw_nuclear", 0.1), row("mw_wind", 0.2)]),
      [""]
    )
    assert.deepStrictEqual(reasons(relation, [row("all", 4), row("mw_nuclear", 1), row("mw_wind", 2)]), [
      "all 4, and its parts mw_* make 3"
    ])
  })

  it("is refused without a word that must be there, and then it alone", () => {
    const [application] = applyRelations([relation], [row("all", 1), row("mw_wind", 1)])
    assert.strictEqual(application?.broken, "all 1 is a sum without nuclear")
    assert.deepStrictEqual(
      application?.rows.map(({ metric }) => metric),
      ["all"]
    )
    assert.deepStrictEqual(
      reasons(relation, [row("all", 1), row("mw_wind", 1)]).filter((reason) => reason !== ""),
      ["all 1 is a sum without nuclear"]
    )
  })
})

/** What becomes of rows that a relation is applied to: why they are refused, or what they stand without. */
const outcomes = (relation: Relation, rows: ReadonlyArray<Observation>) =>
  applyRelations([relation], rows).flatMap(({ broken, missing = [], rows }) =>
    rows.map(({ metric }) => [metric, broken ?? missing.join(", ")])
  )

describe("where a part of a relation is missing", () => {
  it("the figure that it guards is refused", () => {
    assert.deepStrictEqual(outcomes(partOf("in_use", "total"), [row("in_use", 3)]), [
      ["in_use", "in_use 3 cannot be compared: total is missing"]
    ])
    assert.deepStrictEqual(outcomes(atMost("day", "week"), [row("day", 3)]), [
      ["day", "day 3 cannot be compared: week is missing"]
    ])
    assert.deepStrictEqual(outcomes(equal("a", "b"), [row("b", 3)]), [
      ["b", "b 3 cannot be compared: a is missing"]
    ])
    assert.deepStrictEqual(outcomes(sumOf("all", ["a", "b"]), [row("all", 3), row("a", 3)]), [
      ["all", "all 3 cannot be compared: b is missing"],
      ["a", "a 3 cannot be compared: b is missing"]
    ])
    assert.deepStrictEqual(outcomes(sumOf("all", ["mw_*"], { words: ["wind"] }), [row("all", 3)]), [
      ["all", "all 3 cannot be compared: mw_* is missing"]
    ])
    assert.deepStrictEqual(outcomes(partOf(["a", "b"], "all"), [row("a", 3)]), [
      ["a", "a 3 cannot be compared: all is missing"]
    ])
  })

  it("a figure that it does not guard stands, and the run says without what", () => {
    assert.deepStrictEqual(outcomes(partOf("in_use", "total"), [row("total", 3)]), [["total", "in_use"]])
    assert.deepStrictEqual(outcomes(atMost("day", "week"), [row("week", 3)]), [["week", "day"]])
    assert.deepStrictEqual(outcomes(partOf(["a", "b"], "all"), [row("all", 3), row("b", 3)]), [
      ["all", "a"],
      ["b", "a"]
    ])
  })

  it("and the manifest says that it may be, the figure stands, and the run says without what", () => {
    const optional = sumOf("all", ["a", "b"], { optional: ["b"] })
    assert.deepStrictEqual(outcomes(optional, [row("all", 3), row("a", 3)]), [
      ["all", "b"],
      ["a", "b"]
    ])
    assert.deepStrictEqual(outcomes(optional, [row("all", 3), row("b", 3)]), [
      ["all", "all 3 cannot be compared: a is missing"],
      ["b", "b 3 cannot be compared: a is missing"]
    ])
  })

  it("of a symbol that it does not hold for, nothing is missing", () => {
    assert.deepStrictEqual(outcomes(partOf("in_use", "total", { symbols: ["FIL"] }), [row("in_use", 3)]), [])
  })
})

describe("other relations", () => {
  it("at most, with a tolerance to its boundary", () => {
    const rows = [row("day", 102), row("week", 100)]
    assert.deepStrictEqual(reasons(atMost("day", "week"), rows), ["day 102 is more than week 100"])
    assert.deepStrictEqual(reasons(atMost("day", "week", { tolerance: 0.02 }), rows), [""])
    assert.deepStrictEqual(reasons(atMost("day", "week", { tolerance: 0.019 }), rows), [
      "day 102 is more than week 100"
    ])
  })

  it("equal, either way", () => {
    const relation = equal("a", "b", { tolerance: 0.01 })
    assert.deepStrictEqual(reasons(relation, [row("a", 100), row("b", 99)]), [""])
    assert.deepStrictEqual(reasons(relation, [row("a", 100), row("b", 98)]), [
      "a 100 is not b 98, although both are the same figure"
    ])
    assert.lengthOf(
      reasons(relation, [row("a", 98), row("b", 100)]).filter((reason) => reason !== ""),
      1
    )
  })

  it("never falls is left to ingest, which knows the value before", () => {
    const relations = [neverFalls("height"), neverFalls("burnt_*")]
    assert.deepStrictEqual(applyRelations(relations, [row("height", 1)]), [])
    assert.deepStrictEqual(
      ["height", "burnt_a", "other"].map((metric) => isNeverFalling(relations, metric)),
      [true, true, false]
    )
  })
})
