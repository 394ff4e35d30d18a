/** A figure that is read again beside the served one, and where it stands in what the upstream said. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { comparedWith } from "../../../core/readings/recheck/compared.ts"
import { type Body, placesOf } from "../../../core/readings/recheck/places.ts"
import { closenessOf, differencePct } from "../../../core/readings/recheck/verdict.ts"
import * as Runs from "../../support/runs.ts"

const bodyOf = (value: unknown, sha256 = "ab".repeat(32)): Body => ({
  sha256,
  bytes: new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value))
})
const placeOf = (value: number, ...bodies: ReadonlyArray<Body | undefined>) =>
  placesOf(new Set([value]), bodies).get(value)

describe("a figure that is read again", () => {
  it("is the same, near, or another", () => {
    const of = (served: number, again: number) => closenessOf({ value: served }, { value: again })
    assert.deepStrictEqual(
      [
        of(100, 100),
        of(100, 101),
        of(100, 99),
        of(100, 101.01),
        of(100, 90),
        of(100, 89.9),
        of(0, 0),
        of(0, 1)
      ],
      ["exact", "within_1_pct", "within_1_pct", "within_10_pct", "within_10_pct", "moved", "exact", "moved"]
    )
    assert.strictEqual(of(-100, -100.5), "within_1_pct")
    assert.strictEqual(differencePct({ value: -100 }, { value: -110 }), -10)
    assert.isUndefined(differencePct({ value: 0 }, { value: 1 }))
  })

  it("is compared by its exact decimal where there is one", () => {
    const value = 2 ** 53
    const served = { value, value_text: "9007199254740992" }
    assert.strictEqual(closenessOf(served, { value, value_text: "9007199254740993" }), "within_1_pct")
    assert.strictEqual(closenessOf(served, { ...served }), "exact")
  })

  it("is never called nearer than it is", () => {
    const number = fc.double({ noNaN: true, min: -1e12, max: 1e12 })
    fc.assert(
      fc.property(number, number, (served, again) => {
        const pct = differencePct({ value: served }, { value: again })
        const closeness = closenessOf({ value: served }, { value: again })
        if (closeness === "exact") assert.strictEqual(served, again)
        if (closeness === "within_1_pct") assert.isAtMost(Math.abs(pct ?? Number.NaN), 1)
        if (closeness === "within_10_pct") assert.isAtMost(Math.abs(pct ?? Number.NaN), 10)
      })
    )
  })

  it("is gone where the answer has it not, with the refusal of that figure, and unreachable without an answer", () => {
    const row = Runs.row(7, "2026-09-05T12:00:00Z")
    const served = {
      series: 1,
      row,
      plugin: "testnet",
      tier: "supply_telemetry" as const,
      readUrl: row.verify_url,
      asOf: 0,
      confirmedAt: 0,
      simulated: false,
      by_definition: undefined,
      unconfirmed: false
    }
    const none = { rows: [], refused: [], places: new Map() }
    assert.strictEqual(comparedWith(served, none).verdict, "gone")
    const refused = [{ symbol: "FIL", metric: "nodes_online", reason: "below its minimum" }]
    assert.deepInclude(comparedWith(served, { ...none, refused }), { reason: "below its minimum" })
    const other = { ...none, rows: [{ ...row, source: "another_feed" }] }
    assert.strictEqual(comparedWith(served, other).verdict, "gone")
    assert.deepInclude(comparedWith(served, { unreachable: "no answer" }), {
      verdict: "unreachable",
      reason: "no answer"
    })
    const again = { ...none, rows: [{ ...row, value: 8, as_of: "2026-09-05T13:00:00Z" }] }
    assert.deepStrictEqual(comparedWith(served, again), {
      verdict: "moved",
      served: { value: 7, as_of: "2026-09-05T12:00:00Z" },
      again: { value: 8, as_of: "2026-09-05T13:00:00Z" },
      difference_pct: (1 / 7) * 100
    })
  })
})

describe("the place of a figure", () => {
  it("is the pointer of the one number, or decimal text, that is it", () => {
    const body = bodyOf({
      data: [{ "nodes/on~line": 41 }, { total: "1234567890123456" }],
      other: "41 nodes"
    })
    assert.deepStrictEqual(placeOf(41, body), {
      kind: "in_body",
      sha256: "ab".repeat(32),
      pointer: "/data/0/nodes~1on~0line"
    })
    assert.deepStrictEqual(placeOf(1234567890123456, body), {
      kind: "in_body",
      sha256: "ab".repeat(32),
      pointer: "/data/1/total"
    })
  })

  it("is not guessed: of several none, of a computed one none, and none where a body was not looked through", () => {
    assert.deepStrictEqual(placeOf(1, bodyOf([1, 1])), { kind: "several" })
    assert.deepStrictEqual(placeOf(1, bodyOf([1]), bodyOf({ n: 1 }, "cd".repeat(32))), { kind: "several" })
    assert.deepStrictEqual(placeOf(3, bodyOf([1, 2])), { kind: "derived" })
    assert.deepStrictEqual(placeOf(1, bodyOf([1]), bodyOf("<xml>1</xml>")), { kind: "not_looked" })
    assert.deepStrictEqual(placeOf(1, bodyOf([1]), undefined), { kind: "not_looked" })
  })
})
