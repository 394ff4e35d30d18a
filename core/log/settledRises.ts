/** Rises that nobody confirmed and nothing contradicted: after three closed days they are served, and their incident says so. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Incidents } from "../readings/ingest/Incidents.ts"
import { rowsOf } from "../sql/rows.ts"

/** Closed days of which a rise must have readings. */
const settledAfter = 3

const idRows = rowsOf({ id: Schema.Int })

/**
 * Closes the incidents of rises that have readings on three closed days, all within a factor of 2, while no newer reading of
 * the series was accepted. Returns their numbers.
 */
export const releaseSettledRises = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const incidents = yield* Incidents
  const settled = yield* sql`
    select i.id from incident i
      join series s on s.symbol = i.symbol and s.metric = i.metric and s.source = i.source
      left join latest l on l.series = s.id
    where i.closed_at is null and i.guard = 'rise' and (l.as_of is null or l.as_of < i.from_as_of)
      and (
        select count(distinct b.day) from exclusion e
          join batch b on b.day = (e.as_of at time zone 'UTC')::date and b.closed_at is not null
        where e.incident = i.id
      ) >= ${settledAfter}
      and (
        select max(o.value) <= 2 * min(o.value) from exclusion e
          join observation o on o.series = e.series and o.as_of = e.as_of and o.version = e.version
        where e.incident = i.id
      )
    order by i.id limit 1000`.pipe(idRows)
  const ids = settled.map(({ id }) => id)
  yield* Effect.forEach(
    ids,
    (id) =>
      incidents
        .close(id, "served after three closed days without a contradiction; nobody has confirmed it")
        // A person may have closed it meanwhile.
        .pipe(Effect.catchTag("IncidentUnknown", () => Effect.void)),
    { discard: true }
  )
  return ids
})
