/** `/v1/revisions`: every published value that changed later, with its previous value. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSuppressed } from "../../catalog/suppressed.ts"
import { isoTime, Unit } from "../../plugin/Value.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import type { RevisionsResponse } from "../../wire/data/revisions.ts"
import { rowsOf } from "../rows.ts"
import { declaredMetric, knownSymbol, type Raw, wholeNumber } from "./parameters.ts"
import { Versions } from "./Versions.ts"

const revisionRows = rowsOf({
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
  simulated: Schema.Boolean
})

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
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select r.id, s.symbol, s.metric, s.source, s.unit, r.as_of, r.version, r.before_value, r.before_text,
      r.after_value, r.after_text, r.recorded_at, r.run, r.why, d.verify_url, d.simulated
    from revision r join series s on s.id = r.series cross join lateral (
      -- A revised reading always has a row of its day.
      select verify_url, simulated from daily
      where series = r.series and day = (r.as_of at time zone 'UTC')::date
      order by incident, version desc limit 1
    ) d
    where r.id < ${before} and (${symbol}::text is null or s.symbol = ${symbol})
      and (${metric}::text is null or s.metric = ${metric})
    order by r.id desc limit ${limit}`.pipe(revisionRows)
  const last = rows.at(-1)
  const response: RevisionsResponse = {
    generated_utc: isoTime(yield* (yield* Versions).changedAt(dependenciesOf.revisions)),
    revisions: rows
      .filter((row) => !isSuppressed(row))
      .map(({ after_text, as_of, before_text, recorded_at, simulated, ...row }) => ({
        ...row,
        as_of: isoTime(as_of.getTime()),
        recorded_at: isoTime(recorded_at.getTime()),
        ...(before_text === null ? {} : { before_text }),
        ...(after_text === null ? {} : { after_text }),
        ...(simulated ? { simulated } : {})
      })),
    ...(last !== undefined && rows.length === limit ? { next_cursor: String(last.id) } : {})
  }
  return response
})
