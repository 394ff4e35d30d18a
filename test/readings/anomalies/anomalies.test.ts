/** Closed days are judged after their close, a revised value again, and the list and its table are of that. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../../core/log/DailyClose.ts"
import { Anomalies, removeOldAnomalies } from "../../../core/readings/anomalies/Anomalies.ts"
import { Ingest } from "../../../core/readings/ingest/Ingest.ts"
import { anomalies } from "../../../core/readings/read/anomalies.ts"
import { onBothEngines } from "../../support/database.ts"
import { logged } from "../../support/logged.ts"
import * as Runs from "../../support/runs.ts"

const length = 86_400_000
const first = Date.UTC(2026, 7, 10)
const dateOf = (n: number) => new Date(first + n * length).toISOString().slice(0, 10)

/** A reading at noon of a day, of the n-th day. */
const read = Effect.fnUntraced(function* (n: number, value: number, again = false) {
  const at = first + n * length + length / 2
  const now = again ? first + (n + 2) * length : at
  yield* TestClock.setTime(now)
  yield* (yield* Ingest).write(
    Runs.delivery(now, [
      Runs.row(value, `${dateOf(n)}T12:00:00Z`),
      Runs.row(7, `${dateOf(n)}T12:00:00Z`, { symbol: "STORJ" })
    ])
  )
})

/** Closes the n-th day and judges it. */
const close = Effect.fnUntraced(function* (n: number) {
  yield* TestClock.setTime(first + (n + 1) * length + length / 3)
  yield* (yield* DailyClose).run
  return yield* (yield* Anomalies).run
})

onBothEngines("unusual values", (database) => {
  const services = Layer.merge(DailyClose.layer, Anomalies.layer).pipe(
    Layer.provideMerge(logged(database, first))
  )

  layer(services, { excludeTestServices: false })((it) => {
    it.effect("are found once the day is closed, and judged again when it is revised", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* anomalies()).anomalies, [])
        assert.isNull((yield* anomalies()).judged_through)
        for (let n = 0; n < 12; n++) {
          yield* read(n, 1000 + ((7 * n) % 11))
          assert.strictEqual(yield* close(n), 0)
        }
        assert.strictEqual((yield* anomalies()).judged_through, dateOf(11))
        yield* read(12, 1600)
        // An open day is not judged.
        assert.strictEqual(yield* (yield* Anomalies).run, 0)
        assert.strictEqual(yield* close(12), 1)
        const { anomalies: actual, judged_through } = yield* anomalies()
        assert.strictEqual(judged_through, dateOf(12))
        assert.strictEqual(actual.length, 1)
        const [one] = actual
        assert.deepInclude(one, {
          symbol: "FIL",
          metric: "nodes_online",
          date: dateOf(12),
          value: 1600,
          unit: "count",
          source: "test_feed",
          version: 1,
          rule: "level",
          before_date: dateOf(11),
          before_value: 1000,
          baseline_days: 11
        })
        assert.include(one?.why, "It changed by +60 %, from 1000 on 2026-08-21 to 1600 on 2026-08-22")

        // The way back is nothing unusual; the selection and the window are held to.
        yield* read(13, 1004)
        assert.strictEqual(yield* close(13), 0)
        assert.deepStrictEqual((yield* anomalies()).anomalies, [])
        const window = { from: dateOf(1), to: dateOf(13) }
        assert.strictEqual((yield* anomalies(window)).anomalies.length, 1)
        assert.strictEqual((yield* anomalies({ ...window, rule: "zero" })).anomalies.length, 0)
        assert.strictEqual((yield* anomalies({ ...window, symbols: "STORJ" })).anomalies.length, 0)
        assert.strictEqual((yield* anomalies({ ...window, category: "storage" })).anomalies.length, 1)
        const failure = yield* Effect.flip(anomalies({ from: dateOf(-40), to: dateOf(13) }))
        assert.include(failure.message, "from must be a day that is at most 30 days before to")
        const both = yield* Effect.flip(anomalies({ day: dateOf(1), to: dateOf(2) }))
        assert.include(both.message, "Send a day, or from and to, not both.")

        // The value of the day turns out to be usual: the finding goes, with the batch that has the new version.
        yield* read(12, 1003, true)
        yield* read(14, 1001)
        assert.strictEqual((yield* anomalies(window)).anomalies.length, 1)
        assert.strictEqual(yield* close(14), 0)
        assert.deepStrictEqual((yield* anomalies(window)).anomalies, [])
      })
    )

    it.effect("are removed after 400 days", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into anomaly (series, day, version, batch, rule, score, found, found_at)
          select id, '2026-01-01', 1, 1, 'level', 9, '{}', now() from series limit 1`
        const count = Effect.map(sql`select 1 from anomaly where day = '2026-01-01'`, (rows) => rows.length)
        const at = Date.UTC(2026, 0, 1) + 400 * length
        yield* removeOldAnomalies({ wall: at, data: at })
        assert.strictEqual(yield* count, 1)
        yield* removeOldAnomalies({ wall: at + length, data: at + length })
        assert.strictEqual(yield* count, 0)
      })
    )
  })
})
