/** Which sales the record contradicts: after each close, what it has of revisions and exclusions since the close before. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { sha256 } from "../../process/sha256.ts"
import { type WarrantedValue, warrantedLeaf } from "../../proof/warranty.ts"
import { texts, times } from "../../readings/ingest/arrays.ts"
import { factNamed, storedFact, storeFact } from "../../sql/keyValue.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Micros } from "../Money.ts"
import { bigints, keyOf } from "./sold.ts"

/** What the record says of one value. */
interface Contradicted {
  readonly key: bigint
  /** When the record got it. */
  readonly at: Date
  readonly because: string
  /** SHA-256 of the document in the log. */
  readonly document: string
}

/** How far the comparison is. */
const Compared = Schema.fromJsonString(
  Schema.Struct({
    /** The last batch that was closed. */
    batch: Schema.Int,
    /** The next comparison begins after this revision: the last of the one before, so that a sale that was being made is seen. */
    from: Schema.Int,
    to: Schema.Int,
    /** When that batch was closed, epoch milliseconds: what came later is not compared, however late the comparison was. */
    closed_at: Schema.Int
  })
)
const decodeCompared = Schema.decodeUnknownEffect(Compared)
const factName = "warranty_compared"

/** Values of one statement. */
const page = 2000

const stateRows = rowsOf({
  batch: Schema.Int,
  closed_at: Schema.Date,
  logged: Schema.NullOr(Schema.String),
  sold: Schema.NullOr(Schema.Date)
})
const valueFields = {
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  as_of: Schema.Date,
  value: Schema.Finite
}
const revisionRows = rowsOf({
  ...valueFields,
  id: Schema.Int,
  after_value: Schema.Finite,
  recorded_at: Schema.Date,
  document: Schema.String
})
const exclusionRows = rowsOf({
  ...valueFields,
  series: Schema.Int,
  version: Schema.Int,
  incident: Schema.Int,
  reason: Schema.String,
  since: Schema.Date,
  document: Schema.String
})
const costRows = rowsOf({ sales: Schema.Int, amount: Schema.BigInt })

const lookedUp = ({ as_of, metric, source, symbol, value }: WarrantedValue): bigint =>
  keyOf(warrantedLeaf({ symbol, metric, source, as_of, value }, sha256))

const nameOf = ({ as_of, metric, source, symbol }: WarrantedValue): string =>
  `${symbol} ${metric} of ${source} as of ${isoTime(as_of)}`

/** Owes each sale that has one of these values, and was made before the record contradicted it, once. */
const owe = Effect.fnUntraced(function* (all: ReadonlyArray<Contradicted>, now: Date) {
  const sql = yield* SqlClient.SqlClient
  if (all.length === 0) return
  yield* sql`
    insert into warranty_payment (sale, amount, because, document, due_at)
    select distinct on (w.sale) w.sale, w.pays, t.because, t.document, ${now}::timestamptz
    from unnest(${bigints(all.map(({ key }) => key))}::bigint[], ${times(all.map(({ at }) => at))},
        ${texts(all.map(({ because }) => because))}, ${texts(all.map(({ document }) => document))})
        as t(key, at, because, document)
      join warranty_sale w on w.keys @> array[t.key] and t.at >= w.sold_at and t.at <= w.until
    order by w.sale, t.at, t.because
    on conflict (sale) do nothing`
})

/** The logged revisions after `from`. */
const revised = Effect.fnUntraced(function* (from: number, to: number, sold: Date, now: Date) {
  const sql = yield* SqlClient.SqlClient
  let after = from
  while (true) {
    const rows = yield* sql`
      select r.id, s.symbol, s.metric, s.source, r.as_of, r.before_value as value, r.after_value, r.recorded_at,
        d.sha256 as document
      from revision r join series s on s.id = r.series join document d on d.kind = 'revisions'
        and r.id between split_part(d.subject, '-', 1)::int and split_part(d.subject, '-', 2)::int
      where r.id > ${after}::int and r.id <= ${to}::int and r.recorded_at >= ${sold}
      order by r.id limit ${page}`.pipe(revisionRows)
    const last = rows.at(-1)
    if (last === undefined) return
    yield* owe(
      rows.map(({ after_value, as_of, document, id, recorded_at, ...row }) => {
        const value = { ...row, as_of: as_of.getTime() }
        const because = `Revision ${id}: ${nameOf(value)} was ${row.value} and became ${after_value}`
        return { key: lookedUp(value), at: recorded_at, because, document }
      }),
      now
    )
    after = last.id
  }
})

/** The readings that logged incidents excluded since `from`. */
const excluded = Effect.fnUntraced(function* (from: Date, sold: Date, now: Date) {
  const sql = yield* SqlClient.SqlClient
  let after = { series: 0, as_of: new Date(0), version: 0, incident: 0 }
  while (true) {
    const rows = yield* sql`
      select x.series, x.version, x.incident, x.since, s.symbol, s.metric, s.source, x.as_of, o.value, i.reason, e.document
      from exclusion x join series s on s.id = x.series join incident i on i.id = x.incident
        join incident_event e on e.incident = x.incident and e.event = 'opened' and e.log_index is not null
        join observation o on o.series = x.series and o.as_of = x.as_of and o.version = x.version
      where x.since >= ${from} and x.since >= ${sold}
        and (x.series, x.as_of, x.version, x.incident) >
          (${after.series}::int, ${after.as_of}::timestamptz, ${after.version}::int, ${after.incident}::int)
      order by x.series, x.as_of, x.version, x.incident limit ${page}`.pipe(exclusionRows)
    const last = rows.at(-1)
    if (last === undefined) return
    yield* owe(
      rows.map(({ as_of, document, incident, reason, since, ...row }) => {
        const value = { ...row, as_of: as_of.getTime() }
        const because = `Incident ${incident} excludes ${nameOf(value)}: ${reason}`
        return { key: lookedUp(value), at: since, because, document }
      }),
      now
    )
    after = last
  }
})

/** Compares what was sold with the record, once after each close. What it finds again changes nothing. */
export const compareSales = Effect.fn("warranty.compareSales")(function* () {
  const sql = yield* SqlClient.SqlClient
  const [state] = yield* sql`
    select id as batch, closed_at, ${factNamed(sql, "revisions_logged")} as logged,
      (select min(sold_at) from warranty_sale) as sold
    from batch where closed_at is not null order by closed_at desc, id desc limit 1`.pipe(stateRows)
  if (state === undefined || state.sold === null) return
  const stored = yield* storedFact(factName)
  const before = stored === undefined ? undefined : yield* Effect.orDie(decodeCompared(stored))
  if (before?.batch === state.batch) return
  const now = new Date(yield* DataClock.now)
  const to = Number(state.logged ?? 0)
  yield* revised(before?.from ?? 0, to, state.sold, now)
  yield* excluded(new Date(before === undefined ? 0 : before.closed_at - dayMs), state.sold, now)
  const value = JSON.stringify({
    batch: state.batch,
    from: before?.to ?? 0,
    to,
    closed_at: state.closed_at.getTime()
  })
  yield* storeFact(factName, value)
})

/** What warranties would pay if the record revised these values now. */
export const costOf = Effect.fn("warranty.costOf")(function* (values: ReadonlyArray<WarrantedValue>) {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* DataClock.now)
  const [cost] = yield* sql`
    select count(*)::int as sales, coalesce(sum(pays), 0)::bigint as amount from warranty_sale w
    where w.until >= ${now} and w.keys && ${bigints(values.map(lookedUp))}::bigint[]
      and not exists (select from warranty_payment p where p.sale = w.sale)`.pipe(costRows)
  return cost ?? { sales: 0, amount: 0n satisfies Micros }
})
