/**
 * Held readings that settle without a person: a level that nothing contradicted is served after three closed days, and what was held
 * of a series that went on as before is waited for no longer.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { hour } from "../plugin/time.ts"
import { laterRuns, nearlyDay } from "../readings/ingest/compare/scale.ts"
import { endContradictions } from "../readings/ingest/contradictions.ts"
import { Incidents } from "../readings/ingest/Incidents.ts"
import { endWhole } from "../readings/ingest/shapes/endWhole.ts"
import { rowsOf } from "../sql/rows.ts"

/** Closed days of which a level must have readings. */
const settledAfter = 3

const idRows = rowsOf({ id: Schema.Int })

/**
 * Releases the incidents of guards that have readings on three closed days, all within a factor of 2, while no newer reading of the
 * series was accepted: a restless series never gives three readings in a row within 1.5 of each other, by which ingest releases a
 * level. Returns their numbers.
 */
export const releaseSettled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const incidents = yield* Incidents
  const settled = yield* sql`
    select i.id from incident i
      join series s on s.symbol = i.symbol and s.metric = i.metric and s.source = i.source
      left join latest l on l.series = s.id
    where i.closed_at is null and i.over_at is null and i.guard in ('rise', 'fall')
      and (l.as_of is null or l.as_of < i.from_as_of)
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
        .release(id, "served after three closed days without a contradiction; nobody has confirmed it")
        // A person may have closed it meanwhile.
        .pipe(Effect.catchTag("IncidentUnknown", () => Effect.void)),
    { discard: true }
  )
  return ids
})

/**
 * Ends the incidents whose cause is over: of guards whose series went on as before, of answers that hold again what they held before,
 * and of nodes that no longer contradict their chain. Returns their numbers.
 */
export const endOver = Effect.gen(function* () {
  return [...(yield* endHeld), ...(yield* endWhole), ...(yield* endContradictions)]
})

/**
 * Incidents of guards whose series went on as before: three later runs were accepted, or one that came a day later. Their readings stay
 * held.
 */
const endHeld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const over = yield* sql`
    select i.id from incident i
      join series s on s.symbol = i.symbol and s.metric = i.metric and s.source = i.source
      join latest l on l.series = s.id and l.as_of > i.to_as_of
      cross join lateral (
        select count(distinct later.run) as runs, max(later.as_of) as newest, min(later.as_of) as first from (
          select o.run, o.as_of from observation o
          where o.series = s.id and o.as_of > i.to_as_of and not exists (
            select 1 from exclusion e join incident x on x.id = e.incident and x.closed_at is null
            where e.series = o.series and e.as_of = o.as_of and e.version = o.version
          )
          order by o.as_of desc limit 100
        ) later
      ) accepted
    where i.closed_at is null and i.over_at is null and i.guard is not null
      and (accepted.runs >= ${laterRuns}
        or (accepted.runs >= 1 and accepted.newest >= i.to_as_of + make_interval(hours => ${nearlyDay / hour}::int)))
    order by i.id limit 1000`.pipe(idRows)
  const ids = over.map(({ id }) => id)
  if (ids.length > 0)
    yield* (yield* Incidents).end(
      ids,
      "over: later runs agree with what the series was before; what was held stays held"
    )
  return ids
})
