/** `/v1/incidents`: which readings are or were held back, why, and where that is in the log. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { isSuppressed } from "../../catalog/suppressed.ts"
import { isoTime } from "../../plugin/Value.ts"
import { ints } from "../../readings/ingest/arrays.ts"
import { Incident as Row } from "../../readings/ingest/Incidents.ts"
import { declaredMetric, knownSymbol, type Raw, wholeNumber } from "../../readings/read/parameters.ts"
import { onlyReadable } from "../../readings/read/readable.ts"
import { Versions } from "../../readings/read/Versions.ts"
import { rowsOf } from "../../sql/rows.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import type { Incident, IncidentsResponse } from "../../wire/log/incidents.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { endOf } from "../incidentEvents.ts"
import { LogKey } from "../Log.ts"

const IncidentRow = Schema.Struct({
  ...Row.fields,
  /** The first incident of its fault. */
  fault: Schema.Int,
  over_at: Schema.NullOr(Schema.Date),
  opened_n: Schema.NullOr(Schema.Int),
  opened_index: Schema.NullOr(Schema.Int),
  opened_document: Schema.NullOr(Schema.String),
  closed_n: Schema.NullOr(Schema.Int),
  closed_index: Schema.NullOr(Schema.Int),
  closed_document: Schema.NullOr(Schema.String)
})
interface IncidentRow extends Schema.Schema.Type<typeof IncidentRow> {}

const incidentRows = rowsOf(IncidentRow.fields)

/** Incidents, newest first. */
const rowsWhere = Effect.fnUntraced(function* (
  condition: (sql: SqlClient.SqlClient) => Fragment,
  limit: number
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select i.id, i.kind, i.symbol, i.metric, i.source, i.from_as_of, i.to_as_of, i.reason, i.opened_at, i.closed_at,
      i.closing_note, i.over_at, coalesce(i.fault, i.id) as fault, o.n as opened_n, o.log_index as opened_index, o.document as opened_document,
      c.n as closed_n, c.log_index as closed_index, c.document as closed_document
    from incident i left join incident_event o on o.incident = i.id and o.event = 'opened'
      left join incident_event c on c.incident = i.id and c.event = 'closed'
    where ${condition(sql)}
    order by i.id desc limit ${limit}`.pipe(incidentRows)
})

const faultRows = rowsOf({ id: Schema.Int })

/** Incidents of the faults of one page: a run that breaks has some thousand series. */
const mostOfFaults = 20_000

/** Of an incident `i`: somebody is to look at it. What is over by itself waits for nobody. */
const isOpen = "i.closed_at is null and i.over_at is null"

/** Without those of suppressed series, and of series that are not shown. */
const readableRows = (rows: ReadonlyArray<IncidentRow>) =>
  Effect.map(onlyReadable(rows), (left) =>
    left.filter((row) => row.source === null || !isSuppressed({ ...row, source: row.source }))
  )

/** The rows as they are served, each by itself. */
const served = Effect.fnUntraced(function* (rows: ReadonlyArray<IncidentRow>) {
  const { simulated } = yield* LogKey
  return (yield* readableRows(rows)).map(
    (row): Incident => ({ ...incidentOf(row), ...(simulated ? { simulated: true } : {}) })
  )
})

/** These incidents, newest first. */
export const incidentsOf = (ids: ReadonlyArray<number>) =>
  Effect.flatMap(
    rowsWhere((sql) => sql`i.id = any(${ints(ids)})`, ids.length),
    served
  )

/** One page of faults, newest first; the incidents of one fault are one. `cursor` is the last id of the previous page. Fails with `BadParameter` and `UnknownSymbol`. */
export const incidents = Effect.fn("Log.incidents")(function* (
  params: {
    readonly symbol?: string | undefined
    readonly metric?: string | undefined
    /** `true`: only open ones; `false`: only closed ones. */
    readonly open?: string | undefined
    readonly limit?: Raw
    readonly cursor?: Raw
  } = {}
) {
  const most = 2_147_483_647
  const limit = yield* wholeNumber("limit", params.limit, { min: 1, max: 500, fallback: 100 })
  const before = yield* wholeNumber("cursor", params.cursor, { min: 1, max: most, fallback: most })
  const symbol = params.symbol === undefined ? null : yield* knownSymbol("symbol", params.symbol)
  const metric = params.metric === undefined ? null : yield* declaredMetric("metric", params.metric, [])
  const open = yield* flag("open", params.open)
  const sql = yield* SqlClient.SqlClient
  const about = sql`(${symbol}::text is null or i.symbol = ${symbol}) and (${metric}::text is null or i.metric = ${metric})`
  const faults = yield* sql`
    select coalesce(i.fault, i.id) as id from incident i where coalesce(i.fault, i.id) < ${before} and ${about}
    group by 1 having (${open}::boolean is null or bool_or(${sql.literal(isOpen)}) = ${open})
    order by 1 desc limit ${limit}`.pipe(faultRows)
  const rows = yield* rowsWhere(
    (sql) => sql`coalesce(i.fault, i.id) = any(${ints(faults.map(({ id }) => id))})`,
    mostOfFaults
  )
  const isAsked = (row: Incident): boolean =>
    (symbol === null || row.symbol === symbol) && (metric === null || row.metric === metric)
  const byFault = Map.groupBy(yield* readableRows(rows), ({ fault }) => fault)
  const { simulated } = yield* LogKey
  const last = faults.at(-1)
  const response: IncidentsResponse = {
    generated_utc: isoTime(yield* (yield* Versions).changedAt(dependenciesOf.incidents)),
    incidents: faults.flatMap(({ id }) =>
      faultOf((byFault.get(id) ?? []).toReversed().map(incidentOf), isAsked, simulated)
    ),
    ...(last !== undefined && faults.length === limit ? { next_cursor: String(last.id) } : {})
  }
  return response
})

/** The incidents of one fault, oldest first, as one: of those that are asked for the first, with the series of all. */
const faultOf = (
  all: ReadonlyArray<Incident>,
  isAsked: (one: Incident) => boolean,
  simulated: boolean
): ReadonlyArray<Incident> => {
  const first = all.find(isAsked)
  if (first === undefined) return []
  const marked = simulated ? { simulated: true as const } : {}
  if (all.length === 1) return [{ ...first, ...marked }]
  const { closed_at: _, note: _note, over_at: _over, ...open } = first
  const left = all.find(({ closed_at }) => closed_at === undefined)
  return [
    {
      // It is closed when the last of them is, and over when nobody waits for any.
      ...(left === undefined ? first : open),
      ...(left !== undefined && all.every(isDone) ? overOf(all) : {}),
      series: all.flatMap(({ closed_at, from, id, metric, over_at, source, symbol }) =>
        source === undefined
          ? []
          : [
              {
                incident: id,
                symbol,
                metric,
                source,
                from,
                ...(closed_at === undefined ? {} : { closed_at }),
                ...(over_at === undefined ? {} : { over_at })
              }
            ]
      ),
      ...marked
    }
  ]
}

const isDone = ({ closed_at, over_at }: Incident): boolean => closed_at !== undefined || over_at !== undefined

/** When the last of them was over or closed. */
const overOf = (all: ReadonlyArray<Incident>): Pick<Incident, "over_at"> => {
  const last = all
    .flatMap(({ closed_at, over_at }) => over_at ?? closed_at ?? [])
    .toSorted()
    .at(-1)
  return last === undefined ? {} : { over_at: last }
}

const countRows = rowsOf({ open: Schema.Int, all: Schema.Int })

/** How many faults there were, and how many of them somebody is to look at. */
export const incidentCounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select count(*) filter (where open)::int as open, count(*)::int as all from (
      select bool_or(${sql.literal(isOpen)}) as open from incident i group by coalesce(i.fault, i.id)
    ) faults`.pipe(countRows)
  return row ?? { open: 0, all: 0 }
})

const incidentOf = (row: IncidentRow): Incident => {
  const { closed_at, closing_note, id, kind, metric, reason, source, symbol } = row
  const opened = placeOf(row.opened_n, row.opened_index, row.opened_document)
  const closed = placeOf(row.closed_n, row.closed_index, row.closed_document)
  const to = endOf(row, closed_at)
  return {
    id,
    kind,
    symbol,
    metric,
    ...(source === null ? {} : { source }),
    from: isoTime(row.from_as_of.getTime()),
    ...(to === undefined ? {} : { to: isoTime(to) }),
    reason,
    opened_at: isoTime(row.opened_at.getTime()),
    ...(closed_at === null ? {} : { closed_at: isoTime(closed_at.getTime()) }),
    ...(row.over_at === null ? {} : { over_at: isoTime(row.over_at.getTime()) }),
    ...(closing_note === null ? {} : { note: closing_note }),
    logged: { ...(opened === undefined ? {} : { opened }), ...(closed === undefined ? {} : { closed }) }
  }
}

const placeOf = (n: number | null, log_index: number | null, sha256: string | null) =>
  n === null || log_index === null || sha256 === null ? undefined : { n, log_index, sha256 }

const flag = (field: string, text: string | undefined): Effect.Effect<boolean | null, BadParameter> => {
  if (text === undefined) return Effect.succeed(null)
  if (text === "true" || text === "false") return Effect.succeed(text === "true")
  const message = `${field}: ${JSON.stringify(text.slice(0, 40))} is not valid. Send true or false.`
  return Effect.fail(new BadParameter({ field, message, valid_values: ["true", "false"] }))
}
