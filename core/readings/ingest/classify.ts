/** Compares rows with stored ones, and decides which become readings and under which incident. */
import { Effect, Predicate, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { metricNamed } from "../../plugin/Manifest.ts"
import { isNeverFalling } from "../../plugin/relations.ts"
import { day as dayMs } from "../../plugin/time.ts"
import type { Observation } from "../../plugin/Value.ts"
import { manyRowsOf, rowsOf } from "../../sql/rows.ts"
import { differs } from "../agreements.ts"
import { ints, texts } from "./arrays.ts"
import type { Candidate, Origin, RunRows } from "./candidate.ts"
import { checkGuards, type Guarded, smallest } from "./guards.ts"
import { isNearerToHeld } from "./jump.ts"
import type { NewestVersion } from "./newestVersions.ts"
import { retainedFrom } from "./partitions.ts"
import { hoursOf, pastsOf, type SecondSource, secondSourcesOf } from "./pasts.ts"

export interface Classified extends Candidate {
  /** The incident that excludes it, or 0. */
  readonly incident: number
  /** Its version as a reading; 0 if the reading already exists or is too old to store. */
  readonly version: number
  /** The newest earlier version. */
  readonly before: NewestVersion | undefined
  /** False if a later run reported a different value for the same time; that one wins. */
  readonly current: boolean
}

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
  to_as_of: Schema.Date,
  guard: Schema.NullOr(Schema.Literals(["bounds", "fall", "rise"])),
  held: Schema.NullOr(Schema.Finite),
  released_by_run: Schema.Boolean
})
interface OpenIncident extends Schema.Schema.Type<typeof OpenIncident> {}

const openRows = rowsOf(OpenIncident.fields)
const idRows = rowsOf({ id: Schema.Int })

/**
 * Reads what the rows of a transaction are judged by, and returns what classifies them, part by part in their order. An
 * existing reading keeps its verdict, which a person may have reviewed since. Backfills are not guarded: only rows at least
 * as new as the latest accepted one are compared with it.
 */
export const classifier = Effect.fnUntraced(function* (runs: ReadonlyArray<RunRows>) {
  const sql = yield* SqlClient.SqlClient
  const series = new Set(
    runs.flatMap(({ rows }) => rows.flatMap(({ newSeries, series }) => (newSeries ? [] : [series])))
  )
  const symbols = new Set(
    runs.flatMap(({ rows }) => rows.flatMap(({ rows: [first] }) => first?.symbol ?? []))
  )
  const newest = yield* sql`
    select series, as_of, value from latest where series = any(${ints([...series])})`.pipe(latestRows)
  let open = (yield* sql`
    select id, kind, symbol, metric, source, from_as_of, to_as_of, guard, held, released_by_run from incident
    where closed_at is null and symbol = any(${texts([...symbols])})
    order by id limit 10000`.pipe(openRows)).slice()
  const oldest = yield* retainedFrom
  const latest = new Map(newest.map(({ as_of, series, value }) => [series, { asOf: as_of.getTime(), value }]))

  const released = new Map<number, string>()
  const moved: Array<Moved> = []

  const classify = Effect.fnUntraced(function* (
    rows: ReadonlyArray<Candidate>,
    newestVersions: ReadonlyMap<Candidate, NewestVersion>
  ) {
    const pasts = yield* pastsOf(rows, latest)
    const suspects = rows.filter(({ series }) => pasts.has(series))
    const hours = yield* hoursOf(suspects)
    const seconds = yield* secondSourcesOf(suspects)
    const classified: Array<Classified> = []
    for (const candidate of rows) {
      const before = newestVersions.get(candidate)
      const { asOf, from, row, series } = candidate
      if (before !== undefined && (isLater(before, from) || same(before, row))) {
        classified.push({
          ...candidate,
          incident: before.incident,
          version: 0,
          before,
          current: same(before, row)
        })
        continue
      }
      const last = latest.get(series)
      const manual = open.find((incident) => names(incident, row) && covers(incident, asOf))
      const metric = metricNamed(from.manifest.metrics, row.metric)
      const accepted = last === undefined || last.asOf > asOf ? undefined : last.value
      if (
        accepted !== undefined &&
        from.rederives === undefined &&
        moved.length < mostMoved &&
        isFar(row.value, accepted)
      )
        moved.push({ run: from.run, row, before: accepted })
      // What is derived again was compared and confirmed by whoever had it done.
      const guarded =
        metric &&
        from.rederives === undefined &&
        checkGuards(metric, row.value, accepted, {
          mayFall:
            accepted === undefined ||
            row.value >= accepted ||
            !isNeverFalling(from.manifest.relations, row.metric),
          days: pasts.get(series) ?? [],
          hours: hours.get(candidate) ?? []
        })
      const confirmation =
        guarded && guarded.guard === "rise" && accepted !== undefined
          ? confirmationOf(row, accepted, open, seconds.get(candidate) ?? [])
          : undefined
      if (confirmation?.incident !== undefined) {
        released.set(confirmation.incident, confirmation.note)
        open = open.filter(({ id }) => id !== confirmation.incident)
      }
      const incident =
        manual !== undefined
          ? manual.id
          : !guarded || confirmation !== undefined
            ? 0
            : yield* openByGuard(row, new Date(asOf), guarded, open, from.recordedAt)
      if (incident === 0 && (last === undefined || last.asOf <= asOf))
        latest.set(series, { asOf, value: row.value })
      classified.push({
        ...candidate,
        incident,
        version: asOf < oldest ? 0 : (before?.version ?? 0) + 1,
        before,
        current: true
      })
    }
    return classified
  })
  return { classify, moved, released }
})

/** A row that is far from the value before: what a changed answer may have to do with. */
export interface Moved {
  readonly run: string
  readonly row: Observation
  readonly before: number
}

/** Rows of a transaction that are listed as moved. */
const mostMoved = 200

/** By a factor of two up or down, and by more than small counts move. */
const isFar = (value: number, before: number): boolean => {
  const [less, more] = [
    Math.min(Math.abs(value), Math.abs(before)),
    Math.max(Math.abs(value), Math.abs(before))
  ]
  return more > 2 * less && more >= smallest
}

/** Of two runs that tell of one time, the later one to read its upstream has the word. */
const isLater = ({ readBy }: NewestVersion, { rederives, run }: Origin): boolean =>
  readBy > (rederives ?? run)

const same = (version: NewestVersion, row: Observation): boolean =>
  version.value === row.value && version.value_text === (row.value_text ?? null)

const names = ({ metric, source, symbol }: OpenIncident, row: Observation): boolean =>
  symbol === row.symbol && metric === row.metric && (source === null || source === row.source)

const covers = ({ from_as_of, kind, to_as_of }: OpenIncident, time: number): boolean =>
  kind === "manual" && from_as_of.getTime() <= time && time <= to_as_of.getTime()

/** Why a rise may be served after all, and the open incident that this ends, if any. */
interface Confirmation {
  readonly incident: number | undefined
  readonly note: string
}

/**
 * A second source that is near the value confirms it, whatever the factor. A second run does where the first held value was a
 * moderate rise, and the new one is nearer to it than to the last accepted value.
 */
const confirmationOf = (
  row: Observation,
  accepted: number,
  open: ReadonlyArray<OpenIncident>,
  seconds: ReadonlyArray<SecondSource>
): Confirmation | undefined => {
  const incident = open.find((one) => one.kind === "automatic" && one.guard === "rise" && names(one, row))
  const second = seconds.find(({ tolerance, value }) => !differs(value, row.value, tolerance))
  if (second !== undefined)
    return {
      incident: incident?.id,
      note: `${second.source} says ${second.value}, which agrees with ${row.value}`
    }
  if (incident === undefined || incident.held === null || !incident.released_by_run) return undefined
  return isNearerToHeld(row.value, incident.held, accepted)
    ? {
        incident: incident.id,
        note: `a second run read ${row.value}, nearer to ${incident.held} than to ${accepted}`
      }
    : undefined
}

/** The end of the UTC day. An incident takes up no day before the one it began on, since the log says when it began. */
const endOfDay = (at: Date): number => (Math.floor(at.getTime() / dayMs) + 1) * dayMs

const openByGuard = Effect.fnUntraced(function* (
  row: Observation,
  asOf: Date,
  { guard, isReleasedByRun, reason }: Guarded,
  open: Array<OpenIncident>,
  at: Date
) {
  const sql = yield* SqlClient.SqlClient
  // Without a guard, it is about answers and holds no reading.
  const same = open.find(
    (incident) =>
      incident.kind === "automatic" &&
      incident.guard !== null &&
      names(incident, row) &&
      incident.from_as_of.getTime() < endOfDay(asOf)
  )
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
    to_as_of: asOf,
    guard,
    held: row.value,
    released_by_run: isReleasedByRun
  }
  const [incident] = yield* sql`
    insert into incident ${sql.insert({ ...about, reason, opened_at: at })} returning id`.pipe(idRows)
  if (incident === undefined) return yield* Effect.die("the insert returned no row")
  open.push({ ...about, id: incident.id })
  yield* Effect.logWarning("value held back for review", { ...row, reason, incident: incident.id })
  return incident.id
})
