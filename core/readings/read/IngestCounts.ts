/** How many rows the collectors have read: `estate` of `/v1/world` counts those of the physical world. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Context, Effect, Layer, Result, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { day } from "../../plugin/time.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Changes } from "../Changes.ts"
import { Feeds } from "../Feeds.ts"
import { collectedWell } from "../ingest/collected.ts"
import { storedFigure } from "./sharedValue.ts"

const RowCounts = Schema.Struct({
  /** Rows of complete runs that ended in the last 24 hours; a row that says the same again is a row read. */
  rows24h: Schema.Finite,
  total: Schema.Finite,
  /** The same of the last 24 hours for the collectors of every network. */
  everywhere24h: Schema.Finite
})
export interface RowCounts extends Schema.Schema.Type<typeof RowCounts> {}

const countRows = rowsOf(RowCounts.fields)

export class IngestCounts extends Context.Service<
  IngestCounts,
  {
    /** From memory, at most two minutes old; the same on every process. */
    readonly counts: Effect.Effect<RowCounts>
    /** Counts now. */
    readonly refresh: Effect.Effect<void, SqlError>
  }
>()("core/readings/IngestCounts") {
  static readonly layer = Layer.effect(
    IngestCounts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { manifests } = yield* Feeds
      const ids = manifests.filter(({ covers }) => "sector" in covers).map(({ id }) => id)
      const plugins = Result.getOrThrow(PgTypes.array(ids, PgTypes.OID.text))

      const count = Effect.gen(function* () {
        const from = new Date((yield* DataClock.now) - day)
        const [sums] = yield* sql`
          select
            (select coalesce(sum(n_rows), 0)::float8 from run
              where ${sql.literal(collectedWell("run"))} and plugin = any(${plugins}) and finished_at > ${from}) as "rows24h",
            (select coalesce(sum(rows), 0)::float8 from rows_read where plugin = any(${plugins})) as total,
            (select coalesce(sum(n_rows), 0)::float8 from run
              where ${sql.literal(collectedWell("run"))} and finished_at > ${from}) as "everywhere24h"`.pipe(
          countRows
        )
        return sums ?? { rows24h: 0, total: 0, everywhere24h: 0 }
      })

      const { read, refresh } = yield* storedFigure({
        name: "rowCounts",
        every: "1 minute",
        schema: RowCounts,
        compute: count
      })
      return IngestCounts.of({ counts: read, refresh })
    })
  ).pipe(Layer.provide(Changes.layer))
}
