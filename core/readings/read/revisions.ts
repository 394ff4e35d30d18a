/** `/v1/revisions`: every published value that changed later, with its previous value. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { isSuppressed } from "../../catalog/suppressed.ts"
import { isoTime, Unit } from "../../plugin/Value.ts"
import { rowsOf } from "../../sql/rows.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import type { Revision, RevisionsResponse } from "../../wire/data/revisions.ts"
import { ints } from "../ingest/arrays.ts"
import { declaredMetric, knownSymbol, type Raw, wholeNumber } from "./parameters.ts"
import { onlyReadable } from "./readable.ts"
import { type RightsBySource, rightsBySource, withRights } from "./rights.ts"
import { Versions } from "./Versions.ts"

const Row = Schema.Struct({
  id: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  unit: Unit,
  as_of: Schema.Date,
  version: Schema.Int,
  before_value: Schema.Finite,
  before_text: Schema.NullOr(Schema.String),
  after_value: Schema.Finite,
  after_text: Schema.NullOr(Schema.String),
  recorded_at: Schema.Date,
  run: Schema.String,
  why: Schema.String,
  verify_url: Schema.String,
  rederives: Schema.NullOr(Schema.String),
  code_before: Schema.NullOr(Schema.String),
  code_after: Schema.NullOr(Schema.String),
  simulated: Schema.Boolean
})
interface Row extends Schema.Schema.Type<typeof Row> {}

const revisionRows = rowsOf(Row.fields)

/** Rows of the ledger, newest first. */
const rowsWhere = Effect.fnUntraced(function* (
  condition: (sql: SqlClient.SqlClient) => Fragment,
  limit: number
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select r.id, s.symbol, s.metric, s.source, s.unit, r.as_of, r.version, r.before_value, r.before_text,
      r.after_value, r.after_text, r.recorded_at, r.run, r.why, d.verify_url, d.simulated,
      again.rederives, before.code_hash as code_before, again.code_hash as code_after
    from revision r join series s on s.id = r.series cross join lateral (
      -- A revised reading always has a row of its day.
      select verify_url, simulated from daily
      where series = r.series and day = (r.as_of at time zone 'UTC')::date
      order by incident, version desc limit 1
    ) d
      left join run again on r.method and again.id = r.run left join run before on before.id = again.rederives
    where ${condition(sql)}
    order by r.id desc limit ${limit}`.pipe(revisionRows)
})

/** The rows as they are served; suppressed series are left out. */
const served = (rows: ReadonlyArray<Row>, rightsOf: RightsBySource): ReadonlyArray<Revision> =>
  rows
    .filter((row) => !isSuppressed(row))
    .map(
      ({
        after_text,
        as_of,
        before_text,
        code_after,
        code_before,
        recorded_at,
        rederives,
        simulated,
        ...row
      }) => ({
        ...row,
        ...(rederives === null || code_before === null || code_after === null
          ? {}
          : { method: { run: rederives, code_before, code_after } }),
        as_of: isoTime(as_of.getTime()),
        recorded_at: isoTime(recorded_at.getTime()),
        ...(before_text === null ? {} : { before_text }),
        ...(after_text === null ? {} : { after_text }),
        ...(simulated ? { simulated } : {})
      })
    )
    .map(withRights(rightsOf))

/** These revisions, newest first. */
export const revisionsOf = (ids: ReadonlyArray<number>) =>
  Effect.zipWith(
    Effect.flatMap(
      rowsWhere((sql) => sql`r.id = any(${ints(ids)})`, ids.length),
      onlyReadable
    ),
    rightsBySource,
    served
  )

/**
 * One page of the ledger, newest first. `cursor` is the last id of the previous page. Fails with `BadParameter` and
 * `UnknownSymbol`.
 */
export const revisions = Effect.fn("Data.revisions")(function* (
  options: {
    readonly symbol?: string | undefined
    readonly metric?: string | undefined
    readonly limit?: Raw
    readonly cursor?: Raw
  } = {}
) {
  const most = 2_147_483_647
  const limit = yield* wholeNumber("limit", options.limit, { min: 1, max: 500, fallback: 100 })
  const before = yield* wholeNumber("cursor", options.cursor, { min: 1, max: most, fallback: most })
  const symbol = options.symbol === undefined ? null : yield* knownSymbol("symbol", options.symbol)
  const metric = options.metric === undefined ? null : yield* declaredMetric("metric", options.metric, [])
  const rows = yield* rowsWhere(
    (sql) => sql`r.id < ${before} and (${symbol}::text is null or s.symbol = ${symbol})
      and (${metric}::text is null or s.metric = ${metric})`,
    limit
  )
  const last = rows.at(-1)
  const response: RevisionsResponse = {
    generated_utc: isoTime(yield* (yield* Versions).changedAt(dependenciesOf.revisions)),
    revisions: served(yield* onlyReadable(rows), yield* rightsBySource),
    ...(last !== undefined && rows.length === limit ? { next_cursor: String(last.id) } : {})
  }
  return response
})
