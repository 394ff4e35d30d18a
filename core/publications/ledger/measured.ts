/** What revisions, incidents and anchors say in the signal ledger: the part of a row that is not of the chain. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSuppressed } from "../../catalog/suppressed.ts"
import { otsPath } from "../../log/record/anchor.ts"
import { isoTime } from "../../plugin/Value.ts"
import type { Signal } from "../../proof/signal.ts"
import { ints } from "../../readings/ingest/arrays.ts"
import { rowsOf } from "../../sql/rows.ts"

/** A row before it has its place. */
export type Measured = Omit<Signal, "v" | "n" | "prev_hash" | "recorded_at" | "simulated">

/** Something that happened, as a trigger kept it. */
export const Happened = Schema.Struct({
  id: Schema.Int,
  kind: Schema.Literals(["batch", "revision", "incident", "anchor"]),
  ref: Schema.Int,
  was: Schema.NullOr(Schema.String),
  became: Schema.String
})
export interface Happened extends Schema.Schema.Type<typeof Happened> {}

/** Unit of a row whose values are words. */
export const state = "state"

/** By what happened; nothing for what is withheld, or is not there any more. */
type MeasuredById = ReadonlyMap<number, Measured>

const revisionRows = rowsOf({
  id: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  unit: Schema.String,
  as_of: Schema.Date,
  before_value: Schema.Finite,
  before_text: Schema.NullOr(Schema.String),
  after_value: Schema.Finite,
  after_text: Schema.NullOr(Schema.String),
  why: Schema.String,
  verify_url: Schema.String
})

export const revisions = Effect.fn("signals.revisions")(function* (part: ReadonlyArray<Happened>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select r.id, s.symbol, s.metric, s.source, s.unit, r.as_of, r.before_value, r.before_text, r.after_value,
      r.after_text, r.why, d.verify_url
    from revision r join series s on s.id = r.series cross join lateral (
      select verify_url from daily where series = r.series and day = (r.as_of at time zone 'UTC')::date
      order by incident, version desc limit 1
    ) d where r.id = any(${ints(part.map(({ ref }) => ref))})`.pipe(revisionRows)
  return measuredRows(part, rows, ({ as_of, after_text, before_text, id: _, why, ...row }) =>
    isSuppressed(row)
      ? undefined
      : {
          ...row,
          kind: "revision",
          ...(before_text === null ? {} : { before_text }),
          ...(after_text === null ? {} : { after_text }),
          as_of: isoTime(as_of.getTime()),
          note: why
        }
  )
})

const incidentRows = rowsOf({
  id: Schema.Int,
  kind: Schema.Literals(["automatic", "manual"]),
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.NullOr(Schema.String),
  reason: Schema.String,
  opened_at: Schema.Date,
  closed_at: Schema.NullOr(Schema.Date),
  verify_url: Schema.NullOr(Schema.String)
})

export const incidents = Effect.fn("signals.incidents")(function* (part: ReadonlyArray<Happened>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select i.id, i.kind, i.symbol, i.metric, i.source, i.reason, i.opened_at, i.closed_at, v.verify_url
    from incident i left join lateral (
      select d.verify_url from series s cross join lateral (
        select verify_url from daily where series = s.id order by day desc limit 1
      ) d
      where s.symbol = i.symbol and s.metric = i.metric and (i.source is null or s.source = i.source)
      order by s.source limit 1
    ) v on true where i.id = any(${ints(part.map(({ ref }) => ref))})`.pipe(incidentRows)
  return measuredRows(
    part,
    rows,
    ({ closed_at, kind, metric, opened_at, reason, source, symbol, verify_url }, { became }) => {
      const opened = became === "open"
      return {
        kind: "incident",
        symbol,
        metric,
        ...(source === null ? {} : { source }),
        ...(opened ? {} : { before_text: "open" }),
        after_text: became,
        unit: state,
        as_of: isoTime((opened ? opened_at : (closed_at ?? opened_at)).getTime()),
        verify_url:
          verify_url ??
          `/v1/history?network=${encodeURIComponent(symbol)}&metric=${encodeURIComponent(metric)}`,
        // What an operator wrote is for operators.
        ...(kind === "automatic" ? { note: reason } : {})
      }
    }
  )
})

/** Confirmations at which an anchor is final. */
const confirmations = 6

const anchorRows = rowsOf({
  id: Schema.Int,
  size: Schema.Int,
  network: Schema.String,
  at: Schema.Date,
  block_height: Schema.NullOr(Schema.Int),
  block_hash: Schema.NullOr(Schema.String),
  block_time: Schema.NullOr(Schema.Date)
})

export const anchors = Effect.fn("signals.anchors")(function* (part: ReadonlyArray<Happened>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select id, size, network, coalesce(asked_at, stamped_at) as at, block_height, block_hash, block_time
    from anchor where id = any(${ints(part.map(({ ref }) => ref))})`.pipe(anchorRows)
  return measuredRows(
    part,
    rows,
    ({ at, block_hash, block_height, block_time, network, size }, { became, was }) => {
      const isConfirmed = became === "confirmed" || became === "final"
      const block = isConfirmed && block_height !== null ? `, block ${block_height} ${block_hash}` : ""
      return {
        kind: "anchor",
        source: network,
        before_text: was ?? "pending",
        after_text: became,
        unit: state,
        ...(became === "final" ? { bound: confirmations, bound_unit: "blocks" } : {}),
        as_of: isoTime((became === "confirmed" ? (block_time ?? at) : at).getTime()),
        verify_url: otsPath(size),
        note: `checkpoint of ${size} entries${block}`
      }
    }
  )
})

const measuredRows = <Row extends { readonly id: number }>(
  part: ReadonlyArray<Happened>,
  rows: ReadonlyArray<Row>,
  says: (row: Row, happened: Happened) => Measured | undefined
): MeasuredById => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return new Map(
    part.flatMap((happened) => {
      const row = byId.get(happened.ref)
      const measured = row === undefined ? undefined : says(row, happened)
      return measured === undefined ? [] : [[happened.id, measured] as const]
    })
  )
}
