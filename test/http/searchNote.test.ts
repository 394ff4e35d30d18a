/** What the figures of a search do not tell is said before them, the same over REST, over MCP and on the page. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { callTool } from "../support/mcp.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const store = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 8, 4, 8))
  const row = Runs.row(904, "2026-09-04T01:00:00Z", {
    symbol: "FIL",
    metric: "active_storage_providers",
    source: manifest.source
  })
  yield* (yield* Ingest).write(Runs.delivery(Date.UTC(2026, 8, 4, 7), [row], manifest.id))
})

/** Each with what its note says, and whether a figure stands below it. */
const questions = [
  ["how many employees does Filecoin have", /Nothing measured of Filecoin is called “employee”/, false],
  ["filecoin storage providers in 2024", /Not for “in 2024”.*\/network\/FIL\/active_storage_providers/, true],
  ["wie viele Mitarbeiter hat Filecoin", /Nothing measured of Filecoin is called “mitarbeiter”/, false]
] as const

layer(Service.layer({ manifests: [manifest] }))("the note of a search", (it) => {
  it.effect("is the same over REST, over MCP and on the page", () =>
    Effect.gen(function* () {
      yield* store
      const { call } = yield* Service
      for (const [question, says, hasFigure] of questions) {
        const { answers, note } = json(yield* call(`/v1/networks?query=${encodeURIComponent(question)}`))
        assert.match(String(note), says, question)
        assert.strictEqual((answers as ReadonlyArray<unknown>).length > 0, hasFigure, question)
        const { data } = yield* callTool("find_networks", { query: question })
        assert.strictEqual(data.note, note, question)
        const page = yield* call(`/networks?q=${encodeURIComponent(question).replaceAll("%20", "+")}`)
        assert.match(page.body.toString("utf8"), says, question)
      }
      const { note } = json(yield* call("/v1/networks?query=filecoin+storage+providers"))
      assert.isUndefined(note)
    })
  )
})
