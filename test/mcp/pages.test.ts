/** A document in pages is the whole document, whatever its shape, and no page is longer than asked but by one item. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { pagesOf, withoutLongTexts } from "../../mcp/paginate.ts"
import { together } from "../support/mcp.ts"

const rows = (n: number, width = 80) =>
  Array.from({ length: n }, (_, at) => ({ at, text: "x".repeat(width), parts: [at, at + 1] }))

describe("pages", () => {
  it("are cut between items, nearly full, and few", () => {
    const document = {
      generated_utc: "2026-09-05T09:00:00Z",
      methodology: { formula: "a = b", fields: ["a", "b"], rules: [] },
      records: rows(2000),
      by_network: Object.fromEntries(rows(500).map((row) => [`N${row.at}`, row])),
      parts: { deep: { list: rows(300), none: [], nothing: {} }, last: null }
    }
    const { length } = JSON.stringify(document)
    const pages = pagesOf(document, 20_000)
    assert.deepStrictEqual(together(pages), document)
    for (const page of pages) assert.isAtMost(JSON.stringify(page).length, 20_500)
    assert.isAtMost(pages.length, Math.ceil((length / 20_000) * 1.2))
    assert.deepStrictEqual(pagesOf(document, length * 2), [document])
  })

  it("hold an item that is longer than a page alone", () => {
    const pages = pagesOf({ rows: [{ n: 1 }, { text: "x".repeat(5000) }, { n: 3 }] }, 1000)
    assert.deepStrictEqual(
      pages.map((page) => Object.values(page as object).flat().length),
      [1, 1, 1]
    )
  })

  it("of any JSON are that JSON together", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 10, max: 400 }), (value, size) => {
        const document: unknown = JSON.parse(JSON.stringify(value))
        const pages = pagesOf(document, size)
        assert.isAbove(pages.length, 0)
        assert.deepStrictEqual(together(pages), document)
      }),
      { numRuns: 500 }
    )
  })

  it("say what is left out of a text that is too long for any", () => {
    const cut = withoutLongTexts({ body: ["x".repeat(20), "short"], n: 1 }, 10, "GET /there")
    assert.deepStrictEqual(cut, { body: ["[20 characters left out: GET /there]", "short"], n: 1 })
  })
})
