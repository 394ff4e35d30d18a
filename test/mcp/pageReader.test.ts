/** Pages of purchases: a long purchase is read in a thread, and its pages are the same. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Worked } from "../../core/process/threads/Worked.ts"
import { PageReader } from "../../mcp/PageReader.ts"
import { purchasePage } from "../../mcp/purchasePage.ts"

const purchase = (n: number) =>
  new TextEncoder().encode(
    JSON.stringify({
      purchase_id: "pur_1",
      data: {
        series: Array.from({ length: n }, (_, place) => ({ symbol: `S${place}`, values: [place, 0.5] }))
      }
    })
  )

layer(PageReader.layer)("pages of a purchase", (it) => {
  it.effect("are the same from a thread", () =>
    Effect.gen(function* () {
      const { page: read } = yield* PageReader
      for (const n of [10, 20_000]) {
        const task = { bytes: purchase(n), page: 1, size: 100_000, largest: 500_000 }
        const worked = { millis: 0 }
        const page = yield* Effect.provideService(read(task), Worked, worked)
        assert.deepStrictEqual(page, purchasePage(task))
        assert.deepStrictEqual(page.head, { purchase_id: "pur_1" })
        assert.strictEqual(page.pages > 1, n > 10)
        // The time of the thread is charged to the caller.
        assert.isAbove(worked.millis, 0)
        const beyond = yield* read({ ...task, page: page.pages + 1 })
        assert.deepStrictEqual([beyond.pages, beyond.data], [page.pages, undefined])
      }
    })
  )
})
