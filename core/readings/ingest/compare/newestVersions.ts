/** What is stored of the readings that a run reports. */
import { Effect, Predicate } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { manyRowsOf } from "../../../sql/rows.ts"
import { ints, times } from "../arrays.ts"
import type { Candidate } from "../candidate.ts"

/** The newest version of a reading. */
export interface NewestVersion {
  readonly version: number
  readonly value: number
  readonly value_text: string | null
  /** The run that stored it. */
  readonly run: string
  /** The run that read its upstream: where it was derived again, the run before. */
  readonly readBy: string
  /** The open incident that excludes it, or 0. */
  readonly incident: number
}

const versionRows = manyRowsOf({
  n: Predicate.isNumber,
  version: Predicate.isNumber,
  value: Predicate.isNumber,
  value_text: Predicate.or(Predicate.isString, Predicate.isNull),
  run: Predicate.isString,
  read_by: Predicate.isString,
  incident: Predicate.isNumber
})

/** The newest versions of the readings that these rows report; none of a series that its run makes. */
export const lookUp = Effect.fnUntraced(function* (rows: ReadonlyArray<Candidate>) {
  const candidates = rows.filter(({ newSeries }) => !newSeries)
  const newestVersions = new Map<Candidate, NewestVersion>()
  if (candidates.length === 0) return newestVersions
  const sql = yield* SqlClient.SqlClient
  const [first, last] = spanOf(candidates)
  const readings = yield* sql`
    select i.n::int, o.version, o.value, o.value_text, o.run,
      coalesce((select r.rederives from run r where r.id = o.run), o.run) as read_by, coalesce((
        select min(e.incident) from exclusion e join incident c on c.id = e.incident
        where e.series = i.series and e.as_of = i.as_of and e.version = o.version and c.closed_at is null
      ), 0) as incident
    from unnest(${ints(candidates.map(({ series }) => series))}, ${times(candidates.map(({ asOf }) => asOf))})
        with ordinality as i(series, as_of, n)
      cross join lateral (
        select version, value, value_text, run from observation o
        where o.series = i.series and o.as_of = i.as_of
          and o.as_of between ${new Date(first)} and ${new Date(last)}
        order by version desc limit 1
      ) o`.pipe(versionRows)
  for (const { n, read_by, ...rest } of readings) {
    const candidate = candidates[n - 1]
    if (candidate !== undefined) newestVersions.set(candidate, { ...rest, readBy: read_by })
  }
  return newestVersions
})

const spanOf = (rows: ReadonlyArray<Candidate>): readonly [first: number, last: number] => {
  const times = rows.map(({ asOf }) => asOf)
  return [Math.min(...times), Math.max(...times)]
}
