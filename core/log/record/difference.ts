/** `/v1/diff`: every day whose value differs between two moments of publication, and why. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSuppressed } from "../../catalog/suppressed.ts"
import * as DataClock from "../../clock/DataClock.ts"
import { isoTime, Unit } from "../../plugin/Value.ts"
import { ints, texts } from "../../readings/ingest/arrays.ts"
import { retainedFrom } from "../../readings/ingest/partitions.ts"
import { type Access, accessNote } from "../../readings/read/Access.ts"
import { retainedTime } from "../../readings/read/asKnownAt.ts"
import { type DailyRow, dateOf, lastClosedDay, lastDays } from "../../readings/read/days.ts"
import { namedNetworks } from "../../readings/read/history.ts"
import { type DayOfSeries, rebuild, versionsOf } from "../../readings/read/knownAt.ts"
import { declaredMetric, isDay, type Raw, wholeNumber } from "../../readings/read/parameters.ts"
import { rightsBySource } from "../../readings/read/rights.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { DayValue, Difference, DifferenceResponse, reasons } from "../../wire/data/difference.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { attestPath } from "./attestPath.ts"

type Reason = (typeof reasons)[number]

/** Days of the longest window. */
const mostDays = 3650

const Touched = Schema.Struct({
  series: Schema.Int,
  date: Schema.String,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  unit: Unit
})
interface Touched extends Schema.Schema.Type<typeof Touched> {}

const touchedRows = rowsOf(Touched.fields)
const revisionRows = rowsOf({
  series: Schema.Int,
  date: Schema.String,
  id: Schema.Int,
  method: Schema.Boolean
})
const dayRows = rowsOf({ series: Schema.Int, date: Schema.String })

interface Span {
  /** Epoch milliseconds. */
  readonly from: number
  readonly to: number
}

interface DifferenceParams {
  readonly access: Access
  /** As in `/v1/history`. The caller's tier must include all networks: check that first. */
  readonly network?: string | undefined
  readonly metric?: string | undefined
  readonly from?: string | undefined
  /** Now without it. */
  readonly to?: string | undefined
  readonly limit?: Raw
  readonly cursor?: string | undefined
}

/**
 * One page. It looks at no more days than `limit`: those with a row that was written since `from`, found by one scan of the
 * days of the networks asked for, and rebuilt from their readings at both moments. `cursor` is the last day that the previous
 * page looked at. Fails with `BadParameter` and `UnknownSymbol`.
 */
export const difference = Effect.fn("Log.difference")(function* (params: DifferenceParams) {
  const limit = yield* wholeNumber("limit", params.limit, { min: 1, max: 500, fallback: 100 })
  const networks = yield* namedNetworks(params.network, params.metric)
  const metric = params.metric === undefined ? null : yield* declaredMetric("metric", params.metric, [])
  const after = yield* placeOf(params.cursor)
  const now = yield* DataClock.now
  const from = yield* retainedTime("from", params.from)
  const to = params.to === undefined ? now : yield* retainedTime("to", params.to)
  if (from > to) {
    return yield* new BadParameter({
      field: "from",
      message: "from must not be later than to.",
      valid: "a time before to"
    })
  }
  const days = {
    from: lastDays(now, params.access.historyDays ?? mostDays).from,
    to: lastDays(to, 1).to
  }
  const touchedDays = yield* touchedSince(from, days, { networks, metric, after }, limit + 1)
  const looked = touchedDays.slice(0, limit)
  const last = touchedDays.length > limit ? looked.at(-1) : undefined
  const response: DifferenceResponse = {
    generated_utc: isoTime(to),
    from: isoTime(from),
    to: isoTime(to),
    differences: yield* differing(
      looked.filter((day) => !isSuppressed(day)),
      { from, to }
    ),
    access: accessNote(params.access),
    ...(last === undefined ? {} : { next_cursor: cursorOf(last) })
  }
  return response
})

const cursorOf = ({ date, metric, source, symbol }: Touched): string =>
  [symbol, metric, source, date].join("!")

const placeOf = (cursor: string | undefined) => {
  const parts = cursor?.split("!") ?? ["", "", "", "0001-01-01"]
  const [symbol = "", metric = "", source = "", date = ""] = parts
  return parts.length === 4 && isDay(date) && !parts.some((part) => part.includes("\0"))
    ? Effect.succeed({ symbol, metric, source, date })
    : Effect.fail(
        new BadParameter({
          field: "cursor",
          message: "cursor must be the next_cursor of the previous page.",
          valid: "`next_cursor` of the previous page"
        })
      )
}

/** The days of which a row was written since `from`, by symbol, metric, source and day. */
const touchedSince = Effect.fnUntraced(function* (
  from: number,
  days: Span,
  filter: {
    readonly networks: ReadonlyArray<string> | undefined
    readonly metric: string | null
    readonly after: Effect.Success<ReturnType<typeof placeOf>>
  },
  limit: number
) {
  const sql = yield* SqlClient.SqlClient
  const { after, metric, networks } = filter
  return yield* sql`
    select s.id as series, d.day::text as date, s.symbol, s.metric, s.source, s.unit
    from series s cross join lateral (
      select distinct day from daily
      where series = s.id and day between ${dateOf(days.from)}::date and ${dateOf(days.to)}::date
        and recorded_at > ${new Date(from)}
    ) d
    where (${networks === undefined} or s.symbol = any(${texts(networks ?? [])}))
      and (${metric}::text is null or s.metric = ${metric})
      and (s.symbol, s.metric, s.source, d.day) > (${after.symbol}, ${after.metric}, ${after.source}, ${after.date}::date)
    order by s.symbol, s.metric, s.source, d.day limit ${limit}`.pipe(touchedRows)
})

/** What a day said at one moment: its accepted row, and the incidents that excluded others. */
interface State {
  readonly accepted: DailyRow | undefined
  readonly incidents: ReadonlySet<number>
}

const keyOf = ({ date, series }: DayOfSeries): string => `${series} ${date}`

const statesOf = (rows: ReadonlyArray<DailyRow>) => {
  const byDay = Map.groupBy(rows, keyOf)
  return (day: DayOfSeries): State => {
    const all = byDay.get(keyOf(day)) ?? []
    return {
      accepted: all.find(({ incident }) => incident === 0),
      incidents: new Set(all.flatMap(({ incident }) => (incident > 0 ? [incident] : [])))
    }
  }
}

const differing = Effect.fnUntraced(function* (days: ReadonlyArray<Touched>, { from, to }: Span) {
  const oldest = dateOf(yield* retainedFrom)
  const retained = days.filter(({ date }) => date >= oldest)
  const gone = days.filter(({ date }) => date < oldest)
  const then = statesOf([...(yield* rebuild(retained, from)), ...(yield* versionsOf(gone, from))])
  const later = statesOf([...(yield* rebuild(retained, to)), ...(yield* versionsOf(gone, to))])
  // The readings of then, excluded as later: what differs from then are the incidents, and the rest is readings.
  const between = statesOf(yield* rebuild(retained, from, to))
  const revised = Map.groupBy(yield* revisionsOf(days, { from, to }), keyOf)
  const rederived = new Set((yield* rederivedDays(days, { from, to })).map(keyOf))
  const rightsOf = yield* rightsBySource
  const closedThen = yield* lastClosedDay(from)
  const closedLater = yield* lastClosedDay(to)
  return days.flatMap((day): ReadonlyArray<Difference> => {
    const [before, after] = [then(day), later(day)]
    const row = after.accepted ?? before.accepted
    if (row === undefined || same(before.accepted, after.accepted)) return []
    const { date, series: _, ...named } = day
    const uncertain = date < oldest
    const revisedRows = revised.get(keyOf(day)) ?? []
    const revisions = revisedRows.map(({ id }) => id)
    const moved = [...before.incidents].filter((id) => !after.incidents.has(id))
    const incidents = [...moved, ...[...after.incidents].filter((id) => !before.incidents.has(id))]
    const middle = uncertain ? (incidents.length > 0 ? after : before) : between(day)
    const causes = causesOf({
      before: before.accepted,
      middle: middle.accepted,
      after: after.accepted,
      restated: revisedRows.some(({ method }) => !method),
      method: revisedRows.some(({ method }) => method) || rederived.has(keyOf(day)),
      closed: closedThen !== undefined && date <= closedThen
    })
    return [
      {
        ...named,
        date,
        change:
          before.accepted === undefined ? "added" : after.accepted === undefined ? "withdrawn" : "revised",
        reasons: causes,
        ...(before.accepted === undefined ? {} : { before: valueOf(before.accepted) }),
        ...(after.accepted === undefined ? {} : { after: valueOf(after.accepted) }),
        ...(causes.includes("incident") && incidents.length > 0 ? { incidents } : {}),
        ...(revisions.length > 0 && (causes.includes("revision") || causes.includes("method"))
          ? { revisions }
          : {}),
        verify_url: row.verify_url,
        ...(closedLater !== undefined && date <= closedLater
          ? { proof: attestPath({ ...named, day: date }) }
          : {}),
        ...(uncertain ? { uncertain } : {}),
        ...(row.simulated ? { simulated: true as const } : {}),
        ...rightsOf(day.source)
      }
    ]
  })
})

/** Why a day differs: what incidents made of it first, and what readings made of that. */
const causesOf = ({
  after,
  before,
  closed,
  method,
  middle,
  restated
}: {
  readonly before: DailyRow | undefined
  readonly middle: DailyRow | undefined
  readonly after: DailyRow | undefined
  /** Whether an upstream restated a reading of the day. */
  readonly restated: boolean
  /** Whether a reading of the day was derived again with other code. */
  readonly method: boolean
  readonly closed: boolean
}): ReadonlyArray<Reason> => {
  const reasons: Array<Reason> = same(before, middle) ? [] : ["incident"]
  if (same(middle, after)) return reasons
  if (restated) reasons.push("revision")
  if (!(restated || method) || middle?.n_observations !== after?.n_observations)
    reasons.push(closed ? "late" : "reading")
  if (method) reasons.push("method")
  return reasons
}

const same = (a: DailyRow | undefined, b: DailyRow | undefined): boolean =>
  a?.value === b?.value &&
  a?.value_text === b?.value_text &&
  a?.n_observations === b?.n_observations &&
  a?.as_of.getTime() === b?.as_of.getTime()

const valueOf = ({ as_of, n_observations, value, value_text }: DailyRow): DayValue => ({
  value,
  ...(value_text === null ? {} : { value_text }),
  n_observations,
  as_of: isoTime(as_of.getTime())
})

/** The revisions of these days that were recorded between the two moments. */
const revisionsOf = Effect.fnUntraced(function* (days: ReadonlyArray<DayOfSeries>, { from, to }: Span) {
  if (days.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select r.series, t.day::text as date, r.id, r.method
    from unnest(${ints(days.map(({ series }) => series))}, ${texts(days.map(({ date }) => date))}::date[])
      as t(series, day) join revision r on r.series = t.series
        and r.as_of >= t.day::timestamp at time zone 'UTC' and r.as_of < (t.day + 1)::timestamp at time zone 'UTC'
    where r.recorded_at > ${new Date(from)} and r.recorded_at <= ${new Date(to)}
    order by r.id limit 100000`.pipe(revisionRows)
})

/** The days of which a reading was derived again between the two moments. */
const rederivedDays = Effect.fnUntraced(function* (days: ReadonlyArray<DayOfSeries>, { from, to }: Span) {
  if (days.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select t.series, t.day::text as date
    from unnest(${ints(days.map(({ series }) => series))}, ${texts(days.map(({ date }) => date))}::date[])
      as t(series, day)
    where exists (
      select 1 from observation o join run r on r.id = o.run and r.rederives is not null
      where o.series = t.series and o.as_of >= t.day::timestamp at time zone 'UTC'
        and o.as_of < (t.day + 1)::timestamp at time zone 'UTC'
        and o.recorded_at > ${new Date(from)} and o.recorded_at <= ${new Date(to)}
    )
    limit 1000`.pipe(dayRows)
})
