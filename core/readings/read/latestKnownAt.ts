/** The latest row of every series as it was at an earlier time, from the readings recorded by then. */
import { Array as Arr, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { clockSkew } from "../../plugin/asOf.ts"
import { rowsOf } from "../../sql/rows.ts"
import { ints } from "../ingest/arrays.ts"
import { definedReading } from "./byDefinition.ts"
import { LatestRow } from "./Current.ts"
import { dayThen, readingThen } from "./readingThen.ts"
import { unconfirmedSeries } from "./standings.ts"

const idRows = rowsOf({ id: Schema.Int })
const latestRows = rowsOf(LatestRow.fields)

/** Series of one statement. */
const chunk = 1000

/**
 * For a time whose readings are kept: each series' newest accepted reading of then, or its day (`readingThen.ts`). It costs a
 * probe of an index for each series, in statements of 1,000. When a value was last confirmed is not kept: `confirmed_at` is
 * when it was recorded.
 */
export const latestKnownAt = Effect.fn("Data.latestKnownAt")(function* (knownAt: number) {
  const sql = yield* SqlClient.SqlClient
  const recordedUntil = new Date(knownAt)
  const unconfirmed = unconfirmedSeries(sql, recordedUntil)
  const columns =
    sql.literal(`s.id as series, s.symbol, s.metric, s.source, s.plugin, s.tier, s.unit, r.value,
    r.value_text, r.verify_url, r.as_of, r.recorded_at as confirmed_at, r.simulated,
    ${definedReading} as by_definition`)
  // No reading was further ahead of its recording than the clock of an upstream may be of ours.
  const reading = yield* readingThen({ knownTime: recordedUntil, until: new Date(knownAt + clockSkew) })
  const day = yield* dayThen(recordedUntil)
  const latestOf = (ids: ReadonlyArray<number>, then: Fragment) =>
    sql`
      select ${columns}, ${unconfirmed.column} as unconfirmed from series s ${then}
        ${unconfirmed.joins} where s.id = any(${ints(ids)})`.pipe(latestRows)

  const all = yield* sql`select id from series order by id limit 1000000`.pipe(idRows)
  const latest: Array<LatestRow> = []
  for (const some of Arr.chunksOf(all, chunk)) {
    const ids = some.map(({ id }) => id)
    const rows = yield* latestOf(ids, reading)
    const there = new Set(rows.map(({ series }) => series))
    const others = ids.filter((id) => !there.has(id))
    latest.push(...rows, ...(others.length === 0 ? [] : yield* latestOf(others, day)))
  }
  return latest
})
