/** What this service published of a closed day, as it is compared with other operators. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isComparable } from "../../proof/agreementLeaf.ts"
import { parseLeaf, type RowLeaf } from "../../proof/leaf.ts"
import { rowsOf } from "../../sql/rows.ts"

const leafRows = rowsOf({
  series: Schema.Int,
  plugin: Schema.String,
  place: Schema.Int,
  text: Schema.String
})

const dayRows = rowsOf({ day: Schema.String })

/** Leaves of one statement, after which the event loop is free for others. */
const leavesAtOnce = 250

/** A leaf of the day's own batch, as it was sealed. */
export interface OwnLeaf {
  readonly series: number
  readonly plugin: string
  readonly leaf: RowLeaf
  readonly text: string
}

/** Goes through the comparable leaves of a closed day, in their order. */
export const eachComparable = Effect.fn("observers.eachComparable")(function* (
  day: string,
  use: (own: OwnLeaf) => void
) {
  const sql = yield* SqlClient.SqlClient
  for (let from = 0; ; ) {
    const rows = yield* sql`
      select l.series, s.plugin, l.place, l.text from leaf l join series s on s.id = l.series
      where l.batch = (select id from batch where day = ${day}::date) and l.day = ${day}::date and l.incident = 0
        and l.place >= ${from} order by l.place limit ${leavesAtOnce}`.pipe(leafRows)
    for (const { plugin, series, text } of rows) {
      const leaf = parseLeaf(text)
      if (leaf.kind !== "absent" && isComparable(leaf, day)) use({ series, plugin, leaf, text })
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < leavesAtOnce) return
    from = last.place + 1
    yield* Effect.yieldNow
  }
})

/** The newest `most` days that were closed after this one, the oldest first; without a day the newest alone. */
export const closedAfter = Effect.fnUntraced(function* (after: string | undefined, most: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select day::text as day from batch
    where closed_at is not null and day > coalesce(${after ?? null}::date,
      (select max(day) - 1 from batch where closed_at is not null))
    order by day desc limit ${most}`.pipe(dayRows)
  return rows.map(({ day }) => day).reverse()
})
