/** Incidents of answers that lack something are over once later answers are whole again. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { hour } from "../../../plugin/time.ts"
import { rowsOf } from "../../../sql/rows.ts"
import { laterRuns, nearlyDay } from "../compare/scale.ts"
import { Incidents } from "../Incidents.ts"

const idRows = rowsOf({ id: Schema.Int })

/**
 * Ends the incidents since which three runs came, or one a day later, whose answers differ in nothing from what was there before. One that an
 * earlier release opened waits for a person: of it that is not known. Returns their numbers.
 */
export const endWhole = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const over = yield* sql`
    select i.id from incident i
      join (
        select incident, min(plugin) as plugin, max(differed_at) as differed_at from answer_shape
        where incident is not null group by incident
      ) a on a.incident = i.id
      cross join lateral (
        select count(*) as runs, max(later.finished_at) as newest from (
          select r.finished_at from run r
          where r.plugin = a.plugin and r.finished_at > a.differed_at and r.complete and r.status = 'ok' and r.rederives is null
          order by r.finished_at desc limit ${laterRuns}
        ) later
      ) whole
    where i.closed_at is null and i.over_at is null and i.guard is null
      and (whole.runs >= ${laterRuns}
        or (whole.runs >= 1 and whole.newest >= a.differed_at + make_interval(hours => ${nearlyDay / hour}::int)))
    order by i.id limit 1000`.pipe(idRows)
  const ids = over.map(({ id }) => id)
  if (ids.length > 0)
    yield* (yield* Incidents).end(ids, "over: no answer of later runs lacks what was there before")
  return ids
})
