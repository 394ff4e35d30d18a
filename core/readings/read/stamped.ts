/** Networks that are stamped on-chain. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"

const symbolRows = rowsOf({ symbol: Schema.String })

/** Those with an accepted value in a batch among the first `size` entries of the log. */
export const symbolsUnder = Effect.fnUntraced(function* (size: number) {
  if (size === 0) return new Set<string>()
  const sql = yield* SqlClient.SqlClient
  const symbols = yield* sql`
    select distinct s.symbol from series s where exists (
      select 1 from leaf l join batch b on b.id = l.batch
      where l.series = s.id and l.incident = 0 and b.log_index < ${size}::int
    )`.pipe(symbolRows)
  return new Set(symbols.map(({ symbol }) => symbol))
})
