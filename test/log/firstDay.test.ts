/** Where a log begins: one old answer makes no empty days. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { parseLeaf } from "../../core/proof/leaf.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)

onBothEngines("the first close", (database) => {
  const services = DailyClose.layer.pipe(Layer.provideMerge(logged(database, noon)))

  layer(services)((it) => {
    it.effect("begins where the service began to read, and seals what is much older with its first day", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const sql = yield* SqlClient.SqlClient
        const ingest = yield* Ingest
        const close = yield* DailyClose
        yield* partitions.ensure(Date.parse("2026-08-10"))
        yield* ingest.write(
          Runs.delivery(noon, [
            // One answer of weeks ago, as a stand-in or a feed that stopped gives it.
            Runs.row(50, "2026-08-10T10:00:00Z", { symbol: "STORJ" }),
            Runs.row(99, "2026-08-30T10:00:00Z"),
            Runs.row(100, "2026-09-05T10:00:00Z")
          ])
        )
        yield* TestClock.setTime(Date.UTC(2026, 8, 6, 8))
        const closed = yield* close.run
        assert.deepStrictEqual(
          closed.map(({ day }) => day),
          ["2026-08-30", "2026-08-31", "2026-09-01", "2026-09-02", "2026-09-03", "2026-09-04", "2026-09-05"]
        )
        const texts = yield* sql<{
          text: string
        }>`select text from leaf where place is not null order by batch, place`
        const rows = texts.flatMap(({ text }) => {
          const leaf = parseLeaf(text)
          return leaf.kind === "absent" ? [] : [[leaf.day, leaf.kind, leaf.symbol]]
        })
        assert.deepStrictEqual(rows, [
          ["2026-08-30", "late", "FIL"],
          ["2026-08-10", "late", "STORJ"],
          ["2026-09-05", "reading", "FIL"]
        ])
      })
    )
  })
})
