import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { revisions } from "../../../core/readings/read/revisions.ts"
import { RevisionsResponse } from "../../../core/wire/data/revisions.ts"
import { noon, services, storeDaily, storeSeries } from "../../support/views.ts"

layer(services)((it) => {
  const store = Effect.fnUntraced(function* (series: number, before: number, after: number, text?: string) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into revision ${sql.insert({
      series,
      as_of: new Date(noon),
      version: 2,
      before_value: before,
      before_text: text ?? null,
      after_value: after,
      after_text: null,
      recorded_at: new Date(noon + 1000),
      run: "run-1",
      why: "the upstream restated it"
    })}`
  })

  it.effect("a page of the ledger, newest first, with the value before", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const series = yield* storeSeries()
      yield* storeDaily(series, [{ date: "2026-09-05", value: 7 }])
      for (let n = 1; n <= 5; n++) yield* store(series, n, n + 10)
      yield* store(series, 0, 7, "0.000")
      // A withheld series' values stand in no answer.
      const withheld = { symbol: "AKT", metric: "volume_24h_usd", source: "akash_console" }
      const hidden = yield* storeSeries(withheld)
      yield* storeDaily(hidden, [{ date: "2026-09-05", value: 1 }])
      yield* store(hidden, 0, 1)
      const response = yield* revisions()
      yield* Schema.decodeUnknownEffect(RevisionsResponse)(response)
      assert.deepStrictEqual(
        response.revisions.map(({ before_value }) => before_value),
        [0, 5, 4, 3, 2, 1]
      )
      assert.deepStrictEqual(response.revisions[0], {
        id: 6,
        symbol: "FIL",
        metric: "nodes_online",
        source: "feed_a",
        unit: "count",
        verify_url: "https://stats.example.net/v1/nodes",
        as_of: "2026-09-05T12:00:00Z",
        version: 2,
        before_value: 0,
        before_text: "0.000",
        after_value: 7,
        recorded_at: "2026-09-05T12:00:01Z",
        run: "run-1",
        why: "the upstream restated it"
      })
      assert.isUndefined(response.next_cursor)
    })
  )

  it.effect("pages by id", () =>
    Effect.gen(function* () {
      const ids: Array<number> = []
      let cursor: string | undefined
      do {
        const page = yield* revisions({ limit: "2", cursor })
        ids.push(...page.revisions.map(({ id }) => id))
        cursor = page.next_cursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(ids, [6, 5, 4, 3, 2, 1])
      for (const bad of [{ limit: "501" }, { limit: "0" }, { cursor: "abc" }, { cursor: "99999999999" }]) {
        assert.strictEqual((yield* Effect.flip(revisions(bad)))._tag, "BadParameter")
      }
    })
  )

  it.effect("of one network, or one metric of it", () =>
    Effect.gen(function* () {
      const other = yield* storeSeries({ symbol: "STORJ", metric: "TOTAL_NODES" })
      yield* storeDaily(other, [{ date: "2026-09-05", value: 2, simulated: true }])
      yield* store(other, 1, 2)
      const of = (params: { symbol?: string; metric?: string }) =>
        Effect.map(revisions(params), (response) => response.revisions)
      assert.deepStrictEqual(
        (yield* of({ symbol: "storj" })).map(({ metric, simulated, symbol }) => [symbol, metric, simulated]),
        [["STORJ", "TOTAL_NODES", true]]
      )
      assert.strictEqual((yield* of({ symbol: "FIL", metric: "nodes_online" })).length, 6)
      assert.deepStrictEqual(yield* of({ symbol: "FIL", metric: "TOTAL_NODES" }), [])
      assert.strictEqual((yield* Effect.flip(revisions({ symbol: "NOPE" })))._tag, "UnknownSymbol")
      assert.strictEqual((yield* Effect.flip(revisions({ metric: "nope" })))._tag, "BadParameter")
    })
  )
})
