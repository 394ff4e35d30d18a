/** Which days of a series were published after their own batch: late, or because the upstream restated them. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { parseLeaf } from "../../proof/leaf.ts"
import { dateOf } from "../../readings/read/days.ts"
import { rowsOf } from "../../sql/rows.ts"

const leafRows = rowsOf({ date: Schema.String, batch_day: Schema.String, text: Schema.String })

export interface LateValue {
  /** The UTC day of the value. */
  readonly date: string
  readonly kind: "late" | "revision"
  readonly value: number
  /** The day whose batch published it. */
  readonly batch_day: string
}

/** Those of the days since `from` (epoch milliseconds), oldest first. */
export const lateValues = Effect.fn("Log.lateValues")(function* (params: {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly from: number
}) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select l.day::text as date, b.day::text as batch_day, l.text
    from series s join leaf l on l.series = s.id and l.day >= ${dateOf(params.from)}::date and l.incident = 0
      join batch b on b.id = l.batch and b.closed_at is not null
    where s.symbol = ${params.symbol} and s.metric = ${params.metric} and s.source = ${params.source}
      and (b.day <> l.day or l.version > 1)
    order by l.day, l.version limit 1000`.pipe(leafRows)
  return rows.flatMap(({ batch_day, date, text }): ReadonlyArray<LateValue> => {
    const leaf = parseLeaf(text)
    return leaf.kind === "late" || leaf.kind === "revision"
      ? [{ date, kind: leaf.kind, value: leaf.value, batch_day }]
      : []
  })
})
