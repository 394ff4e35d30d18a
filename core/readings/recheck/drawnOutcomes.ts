/** How many of the series that were drawn by lot held when they were looked at again. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { rowsOf } from "../../sql/rows.ts"
import { type RecheckAgreement, type RechecksResponse, RecheckVerdict } from "../../wire/data/recheck.ts"

const days = 7

const countRows = rowsOf({ verdict: RecheckVerdict, n: Schema.Int })

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Over the last 7 days, today included; undefined where nothing was drawn. */
export const drawnOutcomes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DataClock.now
  const from = (Math.floor(now / dayMs) - days + 1) * dayMs
  const counts = yield* sql`
    select s.verdict, count(*)::int as n from recheck r join recheck_series s on s.recheck = r.id
    where r.asked_at >= ${new Date(from)} and s.series = any(r.drawn) group by s.verdict`.pipe(countRows)
  if (counts.length === 0) return undefined
  const of = (...verdicts: ReadonlyArray<RecheckVerdict>) =>
    counts.reduce((sum, { n, verdict }) => (verdicts.includes(verdict) ? sum + n : sum), 0)
  const answered = of("exact", "within_1_pct", "within_10_pct", "moved")
  const result: RecheckAgreement = {
    from: dateOf(from),
    to: dateOf(now),
    n_series: of("exact", "within_1_pct", "within_10_pct", "moved", "gone", "unreachable"),
    n_exact: of("exact"),
    n_within_1_pct: of("within_1_pct"),
    n_within_10_pct: of("within_10_pct"),
    n_moved: of("moved"),
    n_gone: of("gone"),
    n_unreachable: of("unreachable"),
    agreement_pct: answered === 0 ? null : (of("exact", "within_1_pct") / answered) * 100
  }
  return result
}).pipe(Effect.withSpan("Rechecks.drawnOutcomes"))

const mostNewest = 200
const newestRows = rowsOf({
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  verdict: RecheckVerdict,
  done_at: Schema.Date,
  run: Schema.NullOr(Schema.String)
})

/** `/v1/rechecks`: the outcomes, and the newest of the drawn series. */
export const rechecks = Effect.fn("Rechecks.rechecks")(function* () {
  const sql = yield* SqlClient.SqlClient
  const newest = yield* sql`
    select n.symbol, n.metric, n.source, s.verdict, r.done_at, r.run
    from recheck r join recheck_series s on s.recheck = r.id join series n on n.id = s.series
    where r.done_at is not null and s.series = any(r.drawn) order by r.id desc, n.id limit ${mostNewest}`.pipe(
    newestRows
  )
  const response: RechecksResponse = {
    agreement: (yield* drawnOutcomes) ?? null,
    newest: newest.map(({ done_at, run, ...series }) => ({
      ...series,
      checked_utc: isoTime(done_at.getTime()),
      ...(run === null ? {} : { run })
    }))
  }
  return response
})
