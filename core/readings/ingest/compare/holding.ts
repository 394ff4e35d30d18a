/** The open incidents of a transaction's series: which of them a held reading joins, and which one it settles. */
import { Effect, Predicate, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day as dayMs } from "../../../plugin/time.ts"
import type { Observation } from "../../../plugin/Value.ts"
import { manyRowsOf, rowsOf } from "../../../sql/rows.ts"
import { ints, texts } from "../arrays.ts"
import type { Candidate } from "../candidate.ts"
import { Incident } from "../Incidents.ts"
import type { Guarded } from "./guards.ts"
import { type HeldReading, isOfLevel, isSettled } from "./scale.ts"

const { from_as_of, id, kind, metric, source, symbol, to_as_of } = Incident.fields

const OpenIncident = Schema.Struct({
  id,
  kind,
  symbol,
  metric,
  source,
  from_as_of,
  to_as_of,
  guard: Schema.NullOr(Schema.Literals(["bounds", "fall", "rise"])),
  /** The level that it holds: its first value. */
  held: Schema.NullOr(Schema.Finite)
})
interface OpenIncident extends Schema.Schema.Type<typeof OpenIncident> {}

const openRows = rowsOf(OpenIncident.fields)
const idRows = rowsOf({ id: Schema.Int })
const heldRows = manyRowsOf({
  series: Predicate.isNumber,
  as_of: Predicate.isDate,
  value: Predicate.isNumber,
  run: Predicate.isString
})

/** Held readings of a series that are read again: a level is settled by fewer. */
const mostHeld = 8

const names = ({ metric, source, symbol }: OpenIncident, row: Observation): boolean =>
  symbol === row.symbol && metric === row.metric && (source === null || source === row.source)

/** The end of the UTC day. An incident takes up no day before the one it began on, since the log says when it began. */
const endOfDay = (at: number): number => (Math.floor(at / dayMs) + 1) * dayMs

/** A fault as it is told once its transaction has all of it. */
interface Fault {
  readonly incident: number
  readonly plugin: string
  readonly run: string
  readonly first: Observation
  readonly reason: string
  n: number
}

/** Reads the incidents that are open for these symbols, and says what they mean for rows in their order. */
export const holding = Effect.fnUntraced(function* (symbols: ReadonlySet<string>) {
  const sql = yield* SqlClient.SqlClient
  let open = (yield* sql`
    select id, kind, symbol, metric, source, from_as_of, to_as_of, guard, held from incident
    where closed_at is null and over_at is null and symbol = any(${texts([...symbols])})
    order by id limit 10000`.pipe(openRows)).slice()
  const streaks = yield* heldBefore(open)
  const faults = new Map<string, Fault>()

  /** The incident of an operator that covers a row. */
  const manualOf = ({ asOf, row }: Candidate): number | undefined =>
    open.find(
      (one) =>
        one.kind === "manual" &&
        names(one, row) &&
        one.from_as_of.getTime() <= asOf &&
        asOf <= one.to_as_of.getTime()
    )?.id

  /**
   * The open incident of a guard that holds the level of a row: what is impossible has no level. Without a guard an incident is about
   * answers, and holds no reading.
   */
  const levelOf = ({ asOf, row }: Candidate, guard: Guarded["guard"]): OpenIncident | undefined =>
    open.find(
      (one) =>
        one.kind === "automatic" &&
        one.guard === guard &&
        names(one, row) &&
        (guard === "bounds" || one.held === null || isOfLevel(row.value, one.held)) &&
        one.from_as_of.getTime() < endOfDay(asOf)
    )

  /** The readings held since the last accepted one, with this one. */
  const streakOf = ({ asOf, from, row, series }: Candidate, accepted: number): ReadonlyArray<HeldReading> => [
    ...(streaks.get(series) ?? []).filter((one) => one.asOf > accepted && one.asOf < asOf),
    { value: row.value, asOf, run: from.run }
  ]

  /** The incident whose level a held row settles, as its series was last accepted at a time. */
  const settledBy = (row: Candidate, guard: Guarded["guard"], accepted: number): number | undefined => {
    if (guard === "bounds") return undefined
    const level = levelOf(row, guard)
    return level !== undefined && isSettled(level.held ?? row.row.value, streakOf(row, accepted))
      ? level.id
      : undefined
  }

  const close = (id: number): void => {
    open = open.filter((one) => one.id !== id)
  }

  /** Holds a row: under the open incident of its level, or a new one, which is part of its run's fault. Returns its number. */
  const hold = Effect.fnUntraced(function* (candidate: Candidate, { guard, reason }: Guarded) {
    const { asOf, from, row, series } = candidate
    streaks.set(series, [
      ...(streaks.get(series) ?? []).slice(1 - mostHeld),
      { value: row.value, asOf, run: from.run }
    ])
    const at = new Date(asOf)
    const level = levelOf(candidate, guard)
    if (level !== undefined) {
      yield* sql`update incident set from_as_of = least(from_as_of, ${at}), to_as_of = greatest(to_as_of, ${at})
        where id = ${level.id}`
      return level.id
    }
    const fault = faults.get(`${from.run}|${guard}`)?.incident ?? (yield* faultOf(from.run, guard)) ?? null
    const about = {
      kind: "automatic" as const,
      symbol: row.symbol,
      metric: row.metric,
      source: row.source,
      from_as_of: at,
      to_as_of: at,
      guard,
      held: row.value
    }
    const [incident] = yield* sql`
      insert into incident ${sql.insert({ ...about, reason, opened_at: from.recordedAt, run: from.run, fault })}
      returning id`.pipe(idRows)
    if (incident === undefined) return yield* Effect.die("the insert returned no row")
    open.push({ ...about, id: incident.id })
    const notice = faults.get(`${from.run}|${guard}`)
    if (notice !== undefined) notice.n++
    else
      faults.set(`${from.run}|${guard}`, {
        incident: fault ?? incident.id,
        plugin: from.manifest.id,
        run: from.run,
        first: row,
        reason,
        n: 1
      })
    return incident.id
  })

  /** One line for each fault, not for each series of it. */
  const tell = Effect.suspend(() =>
    Effect.forEach(
      faults.values(),
      ({ first, incident, n, plugin, reason, run }) =>
        Effect.logWarning("values held back for review", {
          plugin,
          run,
          incident,
          series: n,
          first: `${first.symbol} ${first.metric} ${first.source}`,
          reason
        }),
      { discard: true }
    )
  )

  return { manualOf, levelOf, settledBy, hold, close, tell }
})

/** The first incident of a fault that an earlier transaction of a long run opened. */
const faultOf = Effect.fnUntraced(function* (run: string, guard: Guarded["guard"]) {
  const sql = yield* SqlClient.SqlClient
  const [first] = yield* sql`
    select min(coalesce(fault, id)) as id from incident where run = ${run} and guard = ${guard}
    having count(*) > 0`.pipe(idRows)
  return first?.id
})

/** The newest held readings of the series of guards' incidents, oldest first. Most runs have none, and cost nothing. */
const heldBefore = Effect.fnUntraced(function* (open: ReadonlyArray<OpenIncident>) {
  const guarded = open.filter(({ guard, kind }) => kind === "automatic" && guard !== null)
  if (guarded.length === 0) return new Map<number, ReadonlyArray<HeldReading>>()
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select s.id as series, h.as_of, h.value, h.run
    from series s cross join lateral (
      select o.as_of, o.value, o.run from exclusion e
        join observation o on o.series = e.series and o.as_of = e.as_of and o.version = e.version
      where e.series = s.id and e.incident = any(${ints(guarded.map(({ id }) => id))})
      order by e.as_of desc, e.version desc limit ${mostHeld}
    ) h
    where (s.symbol, s.metric, s.source) in (
      select * from unnest(${texts(guarded.map(({ symbol }) => symbol))},
        ${texts(guarded.map(({ metric }) => metric))}, ${texts(guarded.map(({ source }) => source))}))
    order by s.id, h.as_of`.pipe(heldRows)
  return new Map<number, ReadonlyArray<HeldReading>>(
    [...Map.groupBy(rows, ({ series }) => series)].map(([series, of]) => [
      series,
      of.map(({ as_of, run, value }) => ({ asOf: as_of.getTime(), run, value }))
    ])
  )
})
