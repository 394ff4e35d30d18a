/** The record as warranties see it, written directly: readings, what revises and excludes them, and closes. */
import { Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { usd } from "../../core/credits/Money.ts"
import { type Terms, WarrantyTerms } from "../../core/credits/warranty/terms.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { rowsOf } from "../../core/sql/rows.ts"

const idRows = rowsOf({ id: Schema.Int })
const valueRows = rowsOf({ series: Schema.Int, version: Schema.Int, value: Schema.Finite })

/** A month, half of the price, of values of a day. */
export const usualTerms: Terms = {
  days: 30,
  greatestAgeHours: 24,
  share: 50,
  perSale: usd("1"),
  perDay: usd("1000000"),
  inTotal: usd("100000000")
}

export const warranted = (terms: Terms = usualTerms) => Layer.succeed(WarrantyTerms, terms)

/** A reading's name. */
export interface Reading {
  readonly symbol: string
  readonly as_of: Date
}
const metric = "total_nodes"
const source = "test"

/** A row of a payload. */
export const rowOf = ({ as_of, symbol }: Reading, value: number) => ({
  symbol,
  metric,
  source,
  as_of: as_of.toISOString(),
  value
})

/** Stores the first version of a reading. */
export const read = Effect.fnUntraced(function* ({ as_of, symbol }: Reading, value: number) {
  const sql = yield* SqlClient.SqlClient
  yield* partitions.ensure(as_of.getTime())
  yield* sql`insert into series (symbol, metric, source, plugin, tier, unit)
    values (${symbol}, ${metric}, ${source}, 'test', 'supply', 'nodes') on conflict do nothing`
  yield* sql`insert into observation (series, as_of, version, value, recorded_at, run)
    select id, ${as_of}, 1, ${value}::float8, ${as_of}, 'r' from series where symbol = ${symbol} and metric = ${metric}
      and source = ${source} on conflict do nothing`
})

const newest = Effect.fnUntraced(function* ({ as_of, symbol }: Reading) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select o.series, o.version, o.value from observation o join series s on s.id = o.series
    where s.symbol = ${symbol} and o.as_of = ${as_of} order by o.version desc limit 1`.pipe(valueRows)
  return row ?? (yield* Effect.die(new Error("no such reading")))
})

/** The reading gets another value. */
export const revise = Effect.fnUntraced(function* (reading: Reading, after: number, at: Date) {
  const sql = yield* SqlClient.SqlClient
  const { series, value, version } = yield* newest(reading)
  yield* sql`insert into observation (series, as_of, version, value, recorded_at, run)
    values (${series}, ${reading.as_of}, ${version + 1}, ${after}::float8, ${at}, 'r')`
  yield* sql`insert into revision (series, as_of, version, before_value, after_value, recorded_at, run, why)
    values (${series}, ${reading.as_of}, ${version + 1}, ${value}::float8, ${after}::float8, ${at}, 'r', 'restated')`
})

/** An incident excludes the newest version of the reading. */
export const exclude = Effect.fnUntraced(function* (reading: Reading, at: Date) {
  const sql = yield* SqlClient.SqlClient
  const { series, version } = yield* newest(reading)
  const [incident] = yield* sql`
    insert into incident (kind, symbol, metric, source, from_as_of, to_as_of, reason, opened_at)
    values ('manual', ${reading.symbol}, ${metric}, ${source}, ${reading.as_of}, ${reading.as_of}, 'wrong by a factor', ${at})
    returning id`.pipe(idRows)
  yield* sql`insert into exclusion (series, as_of, version, incident, since)
    values (${series}, ${reading.as_of}, ${version}, ${incident?.id ?? 0}, ${at})`
})

/** Closes a day: what happened so far is in the log. `n` counts the closes of a database. */
export const close = Effect.fnUntraced(function* (n: number, at: Date) {
  const sql = yield* SqlClient.SqlClient
  const document = (kind: string, subject: string) => sql`
    insert into document (sha256, kind, subject, media_type, body, recorded_at)
    values (md5(${`${kind} ${subject}`}) || md5(${subject}), ${kind}, ${subject}, 'application/json', '{}', ${at})
    on conflict do nothing`
  const [last] = yield* sql`select coalesce(max(id), 0) as id from revision`.pipe(idRows)
  const [logged] = yield* sql`
    select coalesce(max(value::int), 0) as id from fact where name = 'revisions_logged'`.pipe(idRows)
  const [from, to] = [(logged?.id ?? 0) + 1, last?.id ?? 0]
  if (to >= from) {
    yield* document("revisions", `${from}-${to}`)
    yield* sql`insert into fact (name, value) values ('revisions_logged', ${String(to)})
      on conflict (name) do update set value = excluded.value`
  }
  yield* document("incidents", `close ${n}`)
  yield* sql`update incident_event set log_index = ${n}::int, n = id,
    document = (select sha256 from document where kind = 'incidents' and subject = ${`close ${n}`}) where n is null`
  yield* sql`insert into batch (day, cut_off, claimed_by, claimed_until, closed_at)
    values ('2020-01-01'::date + ${n}::int, ${at}, 'test', ${at}, ${at})`
})

/** A sale per request that is final, whose warranty owes its payer so many micro-dollars. */
export const owedTo = Effect.fnUntraced(function* (
  sale: string,
  payer: string,
  amount: bigint,
  {
    at,
    asset = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
    perDay = usd("1000")
  }: {
    readonly at: Date
    readonly asset?: string
    readonly perDay?: bigint
  }
) {
  const sql = yield* SqlClient.SqlClient
  const promise = {
    days: 30,
    greatest_age_hours: 24,
    says: "half",
    share_percent: 50,
    most_per_sale_usd: 1,
    most_per_day_usd: 1000,
    most_in_total_usd: 1000
  }
  yield* sql`insert into x402_sale (id, network, asset, payer, nonce, recipient, amount, valid_after, valid_before,
      signature, product_key, payload_sha256, state, lease_until, since_block, tx, created_at, settled_at, final_at)
    values (${sale}, 'eip155:8453', ${asset}, ${payer.toLowerCase()}, ${sale}, 'shop', ${2n * amount}::bigint, 0, 1, '0x00',
      'depin_provenance', 'none', 'settled', ${at}, 0, ${`0x${sale}`}, ${at}, ${at}, ${at})`
  yield* sql`insert into warranty_sale (sale, promise, pays, most_per_day, most_in_total, sold_at, until, rows, root, keys)
    values (${sale}, ${JSON.stringify(promise)}::jsonb, ${amount}::bigint, ${perDay}::bigint, ${usd("100000")}::bigint, ${at}, ${at}, 1,
      decode('00', 'hex'), '{1}')`
  yield* sql`insert into warranty_payment (sale, amount, because, document, due_at)
    values (${sale}, ${amount}::bigint, ${`Revision 1 of ${sale}`}, ${"a".repeat(64)}, ${at})`
})
