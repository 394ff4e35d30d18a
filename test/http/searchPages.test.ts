/** The pages that a search names are there. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { measurePath, measures } from "../../core/catalog/Measures.ts"
import searchPages from "../../core/catalog/searchPages.json" with { type: "json" }
import { search } from "../../core/readings/read/search.ts"
import { Service } from "../support/service.ts"

layer(Service.layer())("the pages of the search", (it) => {
  it.effect("are served, each to who asks for it in any of its words", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const { asks, path } of searchPages) {
        const { body, status } = yield* call({
          path: path.replace(/#.*/, ""),
          headers: { accept: "text/html" }
        })
        // On the first day no day is closed and no brief is out, and these pages say so.
        if (status === 404) assert.match(body.toString(), /closed|edition/, path)
        else assert.strictEqual(status, 200, path)
        for (const ask of asks) {
          const { ofPage, pages } = yield* search(ask)
          assert.strictEqual(ofPage ? pages[0]?.path : undefined, path, ask)
        }
      }
    })
  )

  it.effect("are those of the measures too, beside the figures that answer", () =>
    Effect.gen(function* () {
      for (const measure of measures)
        for (const ask of measure.asks) {
          const { ofPage, pages } = yield* search(ask)
          assert.isFalse(ofPage, ask)
          assert.include(
            pages.map(({ path }) => path),
            measurePath(measure),
            ask
          )
        }
    })
  )
})
