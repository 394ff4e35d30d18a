/** Compares a chunk's rows with stored ones, and decides which become readings and under which incident. */
import { Effect, Predicate, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Manifest, metricNamed } from "../../plugin/Plugin.ts"
import type { Observation } from "../../plugin/Value.ts"
import { manyRowsOf, rowsOf } from "../rows.ts"
import { ints, texts, times } from "./arrays.ts"
import { checkGuards } from "./guards.ts"
import { keptFrom } from "./partitions.ts"

/** A row of a run with its series. */
export interface Candidate {
  readonly series: number
  readonly asOf: Date
  readonly row: Observation
}

/** What all rows of a run share. */
export interface Origin {
  readonly run: string
  readonly manifest: Manifest
  readonly recordedAt: Date
  readonly simulated: boolean
}

/** A row on its way into the database. */
export interface Reported extends Candidate {
  readonly from: Origin
}

export interface Classified extends Reported {
  /** The incident that excludes it, or 0. */
  readonly incident: number
  /** Its version as a reading; 0 if the reading already exists or is too old to store. */
  readonly version: number
  /** The newest earlier version. */
  readonly before: Known | undefined
  /** False if a later run reported a different value for the same time; that one wins. */
  readonly current: boolean
}

/** The newest version of a reading. */
export interface Known {
  readonly n: number
  readonly version: number
  readonly value: number
  readonly value_text: string | null
  readonly run: string
  /** The open incident that excludes it, or 0. */
  readonly incident: number
}

const knownRows = manyRowsOf({
  n: Predicate.isNumber,
  version: Predicate.isNumber,
  value: Predicate.isNumber,
  value_text: Predicate.or(Predicate.isString, Predicate.isNull),
  run: Predicate.isString,
  incident: Predicate.isNumber
})
const latestRows = manyRowsOf({
  series: Predicate.isNumber,
  as_of: Predicate.isDate,
  value: Predicate.isNumber
})

const OpenIncident = Schema.Struct({
  id: Schema.Int,
  kind: Schema.Literals(["automatic", "manual"]),
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.NullOr(Schema.String),
  from_as_of: Schema.Date,
  to_as_of: Schema.Date
})
interface OpenIncident extends Schema.Schema.Type<typeof OpenIncident> {}

const openRows = rowsOf(OpenIncident.fields)
const idRows = rowsOf({ id: Schema.Int })

/**
 * Classifies the rows of one chunk; those of a series are of one run. An existing reading keeps its verdict, which a person
 * may have reviewed since. Backfills are not guarded: only rows at least as new as the latest accepted one are compared
 * with it.
 */
export const classify = Effect.fnUntraced(function* (candidates: ReadonlyArray<Reported>) {
  const judged: Array<Classified> = []
  // A failed run has no rows.
  if (candidates.length === 0) return judged
  const sql = yield* SqlClient.SqlClient
  const ids = ints(candidates.map(({ series }) => series))
  const spans = candidates.map(({ asOf }) => asOf.getTime())
  // None waits for another: on a connection that is far away, each would cost a round trip.
  const [readings, newest, incidents, oldest] = yield* Effect.all(
    [
      sql`
        select i.n::int, o.version, o.value, o.value_text, o.run, coalesce((
            select min(e.incident) from exclusion e join incident c on c.id = e.incident
            where e.series = i.series and e.as_of = i.as_of and e.version = o.version and c.closed_at is null
          ), 0) as incident
        from unnest(${ids}, ${times(candidates.map(({ asOf }) => asOf))}) with ordinality as i(series, as_of, n)
          cross join lateral (
            select version, value, value_text, run from observation o
            where o.series = i.series and o.as_of = i.as_of
              and o.as_of between ${new Date(Math.min(...spans))} and ${new Date(Math.max(...spans))}
            order by version desc limit 1
          ) o`.pipe(knownRows),
      sql`select series, as_of, value from latest where series = any(${ids})`.pipe(latestRows),
      sql`
        select id, kind, symbol, metric, source, from_as_of, to_as_of from incident
        where closed_at is null and symbol = any(${texts([...new Set(candidates.map(({ row }) => row.symbol))])})
        order by id limit 10000`.pipe(openRows),
      keptFrom
    ],
    { concurrency: 4 }
  )
  const known = new Map(readings.map((row) => [row.n - 1, row]))
  const latest = new Map(newest.map(({ as_of, series, value }) => [series, { asOf: as_of.getTime(), value }]))
  const open = incidents.slice()

  for (const [index, candidate] of candidates.entries()) {
    const { asOf, from, row, series } = candidate
    const time = asOf.getTime()
    const before = known.get(index)
    if (before !== undefined && (before.run > from.run || same(before, row))) {
      judged.push({
        ...candidate,
        incident: before.incident,
        version: 0,
        before,
        current: same(before, row)
      })
      continue
    }
    const last = latest.get(series)
    const held = open.find((incident) => names(incident, row) && covers(incident, time))
    const metric = metricNamed(from.manifest.metrics, row.metric)
    const reason =
      metric === undefined
        ? undefined
        : checkGuards(metric, row.value, last === undefined || last.asOf > time ? undefined : last.value)
    const incident =
      held !== undefined
        ? held.id
        : reason === undefined
          ? 0
          : yield* openByGuard(row, asOf, reason, open, from.recordedAt)
    if (incident === 0 && (last === undefined || last.asOf <= time))
      latest.set(series, { asOf: time, value: row.value })
    judged.push({
      ...candidate,
      incident,
      version: time < oldest ? 0 : (before?.version ?? 0) + 1,
      before,
      current: true
    })
  }
  return judged
})

const same = (known: Known, row: Observation): boolean =>
  known.value === row.value && known.value_text === (row.value_text ?? null)

const names = ({ metric, source, symbol }: OpenIncident, row: Observation): boolean =>
  symbol === row.symbol && metric === row.metric && (source === null || source === row.source)

const covers = ({ from_as_of, kind, to_as_of }: OpenIncident, time: number): boolean =>
  kind === "manual" && from_as_of.getTime() <= time && time <= to_as_of.getTime()

const openByGuard = Effect.fnUntraced(function* (
  row: Observation,
  asOf: Date,
  reason: string,
  open: Array<OpenIncident>,
  at: Date
) {
  const sql = yield* SqlClient.SqlClient
  const same = open.find((incident) => incident.kind === "automatic" && names(incident, row))
  if (same !== undefined) {
    yield* sql`update incident set from_as_of = least(from_as_of, ${asOf}), to_as_of = greatest(to_as_of, ${asOf})
      where id = ${same.id}`
    return same.id
  }
  const about = {
    kind: "automatic" as const,
    symbol: row.symbol,
    metric: row.metric,
    source: row.source,
    from_as_of: asOf,
    to_as_of: asOf
  }
  const [made] = yield* sql`
    insert into incident ${sql.insert({ ...about, reason, opened_at: at })} returning id`.pipe(idRows)
  if (made === undefined) return yield* Effect.die("the insert returned no row")
  open.push({ ...about, id: made.id })
  yield* Effect.logWarning("value held back for review", { ...row, reason, incident: made.id })
  return made.id
})
