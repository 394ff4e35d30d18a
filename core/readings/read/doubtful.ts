/** Series of which two levels are in doubt: a held level was released because runs gave it again, and nobody has said which is right. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"
import { LevelInDoubt } from "../../wire/data/valueRow.ts"
import { doubts } from "./standings.ts"

const Row = Schema.Struct({
  series: Schema.Int,
  plugin: Schema.String,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  stated: LevelInDoubt,
  value: Schema.NullOr(Schema.Finite)
})

const doubtfulRows = rowsOf(Row.fields)

/** A series with its two levels, and the value that is served meanwhile, if any. */
export interface Doubtful extends Schema.Schema.Type<typeof Row> {}

/** The series of a plugin of which two levels are in doubt now, by name. */
export const doubtful = Effect.fn("Data.doubtful")(function* (plugin: string) {
  const sql = yield* SqlClient.SqlClient
  const rows: ReadonlyArray<Doubtful> = yield* sql`
    select s.id as series, s.plugin, s.symbol, s.metric, s.source, doubt.stated, l.value
    from ${doubts(sql)} doubt join series s on s.id = doubt.series left join latest l on l.series = s.id
    where s.plugin = ${plugin} order by s.symbol, s.metric, s.source limit 1000`.pipe(doubtfulRows)
  return rows
})
