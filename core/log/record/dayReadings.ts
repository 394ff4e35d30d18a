/** The readings that a leaf's day was made of, as they were when the leaf was recorded. */
import { Schema } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { isoTime } from "../../plugin/Value.ts"
import { type Reading, type RowLeaf, readingsSha256 } from "../../proof/leaf.ts"
import { excludedThen } from "../../readings/read/knownAt.ts"
import { sha256Hex } from "../leaves.ts"

/** What `readingsColumn` gives: time in epoch milliseconds, value, and its exact text where it has one. */
export const StoredReadings = Schema.Array(
  Schema.Tuple([Schema.Finite, Schema.Finite, Schema.NullOr(Schema.String)])
)

/**
 * The accepted readings of the day of the leaf `l`, or those of its incident, as a column; `d` is the leaf's row of `daily`.
 */
export const readingsColumn = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`(
    select coalesce(
        json_agg(json_build_array(extract(epoch from as_of) * 1000, value, value_text) order by as_of), '[]'
      ) from (
      select distinct on (as_of) as_of, value, value_text from (
        select o.as_of, o.version, o.value, o.value_text,
          coalesce(${excludedThen(sql, sql`d.recorded_at`)}, 0) as incident
        from observation o
        where o.series = l.series and o.as_of >= l.day::timestamp at time zone 'UTC'
          and o.as_of < (l.day + 1)::timestamp at time zone 'UTC' and o.recorded_at <= d.recorded_at
      ) v where incident = l.incident order by as_of, version desc limit 20000
    ) r
  )`

/** Those readings; undefined without all of them, since they go with their partition. */
export const readingsFrom = (
  leaf: RowLeaf,
  stored: typeof StoredReadings.Type
): ReadonlyArray<Reading> | undefined => {
  const readings = stored.map(
    ([as_of, value, value_text]): Reading => ({
      as_of: isoTime(as_of),
      value,
      ...(value_text === null ? {} : { value_text })
    })
  )
  return readingsSha256(readings, sha256Hex) === leaf.readings_sha256 ? readings : undefined
}
