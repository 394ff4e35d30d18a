/** The document of what other operators have of a day, and its leaves: what they must say, and what is refused. */
import { assert, describe, it } from "vitest"
import { toleranceOf } from "../../core/plugin/Manifest.ts"
import {
  type Agreement,
  agreementSubject,
  agreementText,
  checkComparisonsOf,
  countsOf,
  parseAgreement
} from "../../core/proof/agreement.ts"
import {
  type AgreementLeaf,
  agreementLeafText,
  checkComparison,
  isComparable,
  parseAgreementLeaf,
  parseAgreementLeaves,
  relationOf,
  seenBy,
  verdictOf
} from "../../core/proof/agreementLeaf.ts"
import { Malformed, toHex, utf8 } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { leafBytes, leafHashHex, type RowLeaf } from "../../core/proof/leaf.ts"
import { root, treeOf } from "../../core/proof/merkle.ts"

const day = "2026-09-04"
const hash = (digit: string) => digit.repeat(64)

const row = (metric: string, value: number): RowLeaf => ({
  v: "service-leaf-v2",
  kind: "reading",
  symbol: "FIL",
  metric,
  source: "test_feed",
  unit: "count",
  day,
  as_of: `${day}T18:00:00Z`,
  value,
  n_observations: 1,
  readings_sha256: hash("1"),
  verify_url: "https://stats.example.net/v1/nodes",
  version: 1,
  recorded_at: `${day}T18:00:05Z`
})

/** A comparison of a value with what two observers have of it; the second one was not read. */
const comparison = (own: RowLeaf, remote: number | undefined): AgreementLeaf => {
  const statement = remote === undefined ? undefined : { ...own, value: remote }
  return {
    v: "service-agreement-leaf-v1",
    symbol: own.symbol,
    metric: own.metric,
    source: own.source,
    day,
    leaf_hash: leafHashHex(leafBytes(own)),
    tolerance: { relative: 0.01 },
    seen: [
      {
        observer: 0,
        relation: relationOf(own, statement, { relative: 0.01 }),
        ...(statement === undefined
          ? {}
          : { value: statement.value, as_of: statement.as_of, leaf_hash: hash("2") })
      },
      { observer: 1, relation: "silent" }
    ]
  }
}

const own = [row("a", 100), row("b", 100), row("c", 100), row("d", 100)]
const leaves = own.map((one, n) => comparison(one, [100, 100.5, 120, undefined][n]))
const document: Agreement = {
  v: "service-agreement-v1",
  day,
  observers: [
    {
      origin: "other.example/log",
      key: "kid-1",
      state: "read",
      size: 9,
      root: hash("3"),
      batch_root: hash("4")
    },
    { origin: "third.example/log", key: "kid-2", state: "silent", why: "no answer in time" }
  ],
  ...countsOf(leaves),
  root: toHex(root(treeOf(leaves.map((leaf) => utf8(agreementLeafText(leaf)))))),
  tree_size: 4
}

const refuses = (parse: (text: string) => unknown, changed: unknown) =>
  assert.throws(() => parse(canonical(changed)), Malformed, undefined, canonical(changed))

describe("a document of agreement", () => {
  it("is read back, with its day as the subject, and counts each series once", () => {
    assert.deepStrictEqual(parseAgreement(agreementText(document)), document)
    assert.strictEqual(agreementSubject(document), day)
    assert.deepInclude(document, { n_compared: 3, n_equal: 1, n_close: 1, n_differs: 1, n_silent: 1 })
    const demo: Agreement = { ...document, v: "service-agreement-v1-demo", simulated: true }
    assert.deepStrictEqual(parseAgreement(agreementText(demo)), demo)
    checkComparisonsOf(document, leaves)
  })

  it("is refused in any other shape", () => {
    const [read, silent] = document.observers
    for (const bad of [
      [document],
      { ...document, v: "service-agreement-v2" },
      { ...document, simulated: true },
      { ...document, extra: 1 },
      { ...document, day: "2026-02-30" },
      { ...document, observers: [] },
      { ...document, observers: [read, read] },
      { ...document, observers: Array.from({ length: 17 }, (_, n) => ({ ...silent, key: `kid-${n}` })) },
      { ...document, observers: [{ ...read, why: "late" }, silent] },
      { ...document, observers: [{ ...read, state: "invalid" }, silent] },
      { ...document, observers: [{ ...read, size: 0 }, silent] },
      { ...document, observers: [read, { ...silent, batch_root: hash("4") }] },
      { ...document, observers: [read, { ...silent, why: "x".repeat(301) }] },
      { ...document, observers: [read, { ...silent, why: "two\nlines" }] },
      { ...document, observers: [{ origin: "other.example/log", key: "kid-1", state: "read" }, silent] },
      { ...document, n_compared: 4 },
      { ...document, n_silent: 2 },
      { ...document, n_differs: 0, n_close: 1 },
      { ...document, tree_size: 0 }
    ])
      refuses(parseAgreement, bad)
    assert.throws(() => parseAgreement(JSON.stringify(document, null, 1)), /canonical/)
  })

  it("has exactly these leaves, in order", () => {
    const [a, b, c, d] = leaves
    if (a === undefined || b === undefined || c === undefined || d === undefined) return assert.fail()
    const differs = (changed: ReadonlyArray<AgreementLeaf>, says: RegExp) =>
      assert.throws(() => checkComparisonsOf(document, changed), says)
    differs([a, b, c], /has 3 comparisons/)
    differs([b, a, c, d], /out of order/)
    differs([a, b, c, { ...d, day: "2026-09-05" }], /cannot be in the document/)
    differs([a, b, c, { ...d, seen: d.seen.slice(0, 1) }], /names 1 observers/)
    differs([a, b, c, comparison(row("d", 100), 100)], /`n_compared` of the comparisons is 4/)
    differs([a, b, { ...c, leaf_hash: hash("5") }, d], /do not hash to the root/)
    const unread = a.seen[0]
    assert(unread !== undefined)
    const ofUnread = [
      { observer: 0, relation: "silent" as const },
      { ...unread, observer: 1 }
    ]
    differs([{ ...a, seen: ofUnread }, b, c, d], /observer 1 was not read/)
  })
})

describe("a comparison", () => {
  const [, close] = leaves
  if (close === undefined) throw new Error("no leaf")
  const [sighting, silent] = close.seen

  it("is read back, one on a line", () => {
    assert.deepStrictEqual(parseAgreementLeaf(agreementLeafText(close)), close)
    const file = leaves.map((leaf) => `${agreementLeafText(leaf)}\n`).join("")
    assert.deepStrictEqual(parseAgreementLeaves(file), leaves)
    assert.throws(() => parseAgreementLeaves(file.slice(0, -1)), /does not end/)
    assert.throws(() => parseAgreementLeaves(`${file}{}\n`), /comparison 4: /)
  })

  it("is refused in any other shape", () => {
    for (const bad of [
      { ...close, tolerance: 0.01 },
      { ...close, tolerance: {} },
      { ...close, tolerance: { relative: 0.01, absolute: 1 } },
      { ...close, tolerance: { relative: -0.01 } },
      { ...close, seen: [silent, sighting] },
      { ...close, seen: [sighting, { ...silent, relation: "equal" }] },
      {
        ...close,
        seen: [{ ...sighting, value: undefined }, silent].map((one) => JSON.parse(JSON.stringify(one)))
      },
      { ...close, seen: [{ ...sighting, value_text: "100.6" }, silent] },
      { ...close, seen: [sighting, { ...silent, unit: "usd" }] },
      { ...close, seen: [{ ...sighting, relation: "agrees" }, silent] },
      { ...close, leaf_hash: "12" },
      { ...close, extra: 1 },
      { ...close, simulated: true }
    ])
      refuses(parseAgreementLeaf, bad)
  })

  it("says of each observer what the values say, whatever the service would like", () => {
    for (const [n, leaf] of leaves.entries()) checkComparison(leaf, own[n] ?? assert.fail())
    const [first, , third] = [own[1], own[0], own[2]]
    assert(first !== undefined && third !== undefined && sighting !== undefined && silent !== undefined)
    assert.throws(() => checkComparison(close, third), /not about the leaf/)
    assert.throws(() => checkComparison(close, { ...first, value: 101 }), /not about the leaf/)
    for (const relation of ["equal", "differs", "silent"] as const)
      assert.throws(
        () => checkComparison({ ...close, seen: [{ ...sighting, relation }, silent] }, first),
        new RegExp(`observer 0 is called ${relation}, but its value says close`)
      )
    const unit = { ...close, seen: [{ ...sighting, unit: "usd" }, silent] }
    assert.throws(() => checkComparison(unit, first), /its value says differs/)
    const same = { ...close, seen: [{ ...sighting, unit: "count" }, silent] }
    assert.throws(() => checkComparison(same, first), /only if it is another/)
  })

  it("counts who has a value to compare, and who of them agrees", () => {
    assert.deepStrictEqual(leaves.map(seenBy), [
      { n_observers: 1, n_agree: 1 },
      { n_observers: 1, n_agree: 1 },
      { n_observers: 1, n_agree: 0 },
      { n_observers: 0, n_agree: 0 }
    ])
    assert.deepStrictEqual(leaves.map(verdictOf), ["equal", "close", "differs", "silent"])
    const both = {
      seen: [
        { observer: 0, relation: "equal" },
        { observer: 1, relation: "differs" }
      ]
    } as const
    assert.strictEqual(verdictOf(both), "differs")
    assert.deepStrictEqual(seenBy(both), { n_observers: 2, n_agree: 1 })
  })
})

describe("the relation of two values", () => {
  const value = { value: 100, unit: "count", as_of: `${day}T12:00:00Z` }
  const percent = { relative: 0.01 }

  it("is equal for the same number, close within the tolerance, and differs beyond it", () => {
    assert.strictEqual(relationOf(value, undefined, percent), "silent")
    assert.strictEqual(relationOf(value, value, percent), "equal")
    assert.strictEqual(relationOf(value, { ...value, value: 101 }, percent), "close")
    assert.strictEqual(relationOf(value, { ...value, value: 101.02 }, percent), "differs")
    assert.strictEqual(relationOf(value, { ...value, value: 101 }, { absolute: 1 }), "close")
    assert.strictEqual(relationOf(value, { ...value, value: 101 }, { absolute: 0.5 }), "differs")
    assert.strictEqual(relationOf(value, { ...value, value: 101 }, { relative: 0 }), "differs")
    assert.strictEqual(relationOf(value, { ...value, unit: "usd" }, percent), "differs")
  })

  it("goes by the exact number where a double may not represent it", () => {
    const [a, b] = ["100.00000000000000001", "100.00000000000000002"].map((value_text) => ({
      ...value,
      value_text
    }))
    assert(a !== undefined && b !== undefined)
    assert.strictEqual(relationOf(a, a, percent), "equal")
    assert.strictEqual(relationOf(a, b, percent), "close")
  })

  it("says nothing of values whose times lie further apart than six hours", () => {
    const at = (as_of: string) =>
      relationOf(value, { ...value, value: 500, as_of: `${day}T${as_of}Z` }, percent)
    assert.deepStrictEqual(["05:59:59", "06:00:00", "18:00:00", "18:00:01"].map(at), [
      "silent",
      "differs",
      "differs",
      "silent"
    ])
  })

  it("is made only with values that stand: of the day itself, not excluded, not withdrawn", () => {
    const leaf = row("a", 1)
    assert.isTrue(isComparable(leaf, day))
    assert.isFalse(isComparable(leaf, "2026-09-05"))
    assert.isFalse(isComparable({ ...leaf, excluded_by: 3 }, day))
    assert.isFalse(isComparable({ ...leaf, n_observations: 0 }, day))
  })
})

it("the tolerance is the metric's own, else that of its unit", () => {
  const metric = { unit: "usd" as const, meaning: "Fees." }
  assert.deepStrictEqual(toleranceOf("usd", { ...metric, agrees: { absolute: 3 } }), { absolute: 3 })
  assert.deepStrictEqual(toleranceOf("usd", metric), { relative: 0.01 })
  assert.deepStrictEqual(toleranceOf("count", undefined), { relative: 0.01 })
  assert.deepStrictEqual(toleranceOf("mw", undefined), { relative: 0.05 })
  assert.deepStrictEqual(toleranceOf("percent", undefined), { absolute: 1 })
  assert.deepStrictEqual(toleranceOf("flag", undefined), { absolute: 0 })
  assert.deepStrictEqual(toleranceOf("a unit of later", undefined), { relative: 0.01 })
})
