/** `/v1/incidents`: which readings are or were held back, why, and where that is in the log. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { isSuppressed } from "../../catalog/suppressed.ts"
import { isoTime } from "../../plugin/Value.ts"
import { ints } from "../../readings/ingest/arrays.ts"
import { Incident as Row } from "../../readings/ingest/Incidents.ts"
import { declaredMetric, knownSymbol, type Raw, wholeNumber } from "../../readings/read/parameters.ts"
import { Versions } from "../../readings/read/Versions.ts"
import { rowsOf } from "../../sql/rows.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import type { Incident, IncidentsResponse } from "../../wire/log/incidents.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { endOf } from "../incidentEvents.ts"
import { LogKey } from "../Log.ts"

const IncidentRow = Schema.Struct({
  ...Row.fields,
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
      i.closing_note, o.n as opened_n, o.log_index as opened_index, o.document as opened_document,
      c.n as closed_n, c.log_index as closed_index, c.document as closed_document
    from incident i left join incident_event o on o.incident = i.id and o.event = 'opened'
      left join incident_event c on c.incident = i.id and c.event = 'closed'
    where ${condition(sql)}
    order by i.id desc limit ${limit}`.pipe(incidentRows)
})

/** The rows as they are served; those of suppressed series are left out. */
const served = Effect.fnUntraced(function* (rows: ReadonlyArray<IncidentRow>) {
  const { simulated } = yield* LogKey
  return rows
    .filter((row) => row.source === null || !isSuppressed({ ...row, source: row.source }))
    .map((row): Incident => ({ ...incidentOf(row), ...(simulated ? { simulated: true } : {}) }))
})

/** These incidents, newest first. */
export const incidentsOf = (ids: ReadonlyArray<number>) =>
  Effect.flatMap(
    rowsWhere((sql) => sql`i.id = any(${ints(ids)})`, ids.length),
    served
  )

/** One page, newest first. `cursor` is the last id of the previous page. Fails with `BadParameter` and `UnknownSymbol`. */
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
  const rows = yield* rowsWhere(
    (sql) => sql`i.id < ${before} and (${symbol}::text is null or i.symbol = ${symbol})
      and (${metric}::text is null or i.metric = ${metric})
      and (${open}::boolean is null or (i.closed_at is null) = ${open})`,
    limit
  )
  const last = rows.at(-1)
  const response: IncidentsResponse = {
    generated_utc: isoTime(yield* (yield* Versions).changedAt(dependenciesOf.incidents)),
    incidents: yield* served(rows),
    ...(last !== undefined && rows.length === limit ? { next_cursor: String(last.id) } : {})
  }
  return response
})

const countRows = rowsOf({ open: Schema.Int, all: Schema.Int })

/** How many incidents there are, and how many of them are open. */
export const incidentCounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select count(*) filter (where closed_at is null)::int as open, count(*)::int as all from incident`.pipe(
    countRows
  )
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
