/** Which incident excludes a published value: asked wherever a value is shown that was published before. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import type { Excluded } from "../../wire/log/attest.ts"
import { rowsOf } from "../rows.ts"

const incidentRows = rowsOf({ incident: Schema.Int, reason: Schema.String, opened_at: Schema.Date })

/**
 * The open incident that excludes the value now, else the one that excluded it when it was published (`incident`; 0 for
 * none); undefined if there is neither.
 */
export const excludedNow = Effect.fn("Data.excludedNow")(function* (value: {
  readonly series: number
  readonly incident: number
  readonly as_of: Date
  readonly value: number
}) {
  const sql = yield* SqlClient.SqlClient
  // A reading has several versions, of which some may be accepted; once readings are dropped, any of them counts.
  const [found] = yield* sql`
    select i.id as incident, i.reason, i.opened_at from incident i
    where i.id = ${value.incident} or (i.closed_at is null and i.id in (
      select e.incident from exclusion e
        left join observation o on o.series = e.series and o.as_of = e.as_of and o.version = e.version
      where e.series = ${value.series} and e.as_of = ${value.as_of} and coalesce(o.value = ${value.value}, true)
    )) order by i.closed_at is null desc, i.id limit 1`.pipe(incidentRows)
  if (found === undefined) return undefined
  const excluded: Excluded = { ...found, opened_at: isoTime(found.opened_at.getTime()) }
  return excluded
})
