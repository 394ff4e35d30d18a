/** Which incident excludes a published value: asked wherever a value is shown that was published before. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import type { Excluded } from "../../wire/log/incidents.ts"
import { rowsOf } from "../rows.ts"

const incidentRows = rowsOf({ incident: Schema.Int, reason: Schema.String, opened_at: Schema.Date })

/** A published value: that of a leaf, or of a day. */
export interface Published {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  /** ISO 8601. */
  readonly as_of: string
  readonly value: number
  /** The incident that excluded it when it was published, if any. */
  readonly excluded_by?: number | undefined
}

/**
 * The open incident that excludes the value now, else the one that excluded it when it was published; undefined if neither
 * is there. A reading that was restated since is excluded only if the published version of it is.
 */
export const excludedOf = Effect.fn("Data.excludedOf")(function* (value: Published) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql`
    select i.id as incident, i.reason, i.opened_at from incident i
    where i.id = ${value.excluded_by ?? null}::int or i.closed_at is null and i.id in (
      select e.incident from series s join exclusion e on e.series = s.id and e.as_of = ${new Date(value.as_of)}
        -- Readings are dropped in time; what excluded them is not.
        left join observation o on o.series = e.series and o.as_of = e.as_of and o.version = e.version
      where s.symbol = ${value.symbol} and s.metric = ${value.metric} and s.source = ${value.source}
        and (o.value is null or o.value = ${value.value})
    )
    order by i.closed_at is null desc, i.id limit 1`.pipe(incidentRows)
  if (found === undefined) return undefined
  const excluded: Excluded = { ...found, opened_at: isoTime(found.opened_at.getTime()) }
  return excluded
})
