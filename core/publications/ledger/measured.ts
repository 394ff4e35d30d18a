/** What revisions, incidents and anchors say in the signal ledger: the part of a row that is not of the chain. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSuppressed } from "../../catalog/suppressed.ts"
import { ints } from "../../data/ingest/arrays.ts"
import { otsPath } from "../../log/read/anchor.ts"
import { isoTime } from "../../plugin/Value.ts"
import type { Signal } from "../../proof/signal.ts"

/** A row before it has its place. */
export type Measured = Omit<Signal, "v" | "n" | "prev_hash" | "recorded_at" | "simulated">

/** Something that happened, as a trigger kept it. */
export interface Happened {
  readonly id: number
  readonly kind: "batch" | "revision" | "incident" | "anchor"
  readonly ref: number
  readonly was: string | null
  readonly became: string
}

/** Unit of a row whose values are words. */
export const state = "state"

/** By what happened; nothing for what is withheld, or is not there any more. */
type Told = ReadonlyMap<number, Measured>

interface RevisionRow {
  readonly id: number
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly unit: string
  readonly as_of: Date
  readonly before_value: number
  readonly before_text: string | null
  readonly after_value: number
  readonly after_text: string | null
  readonly why: string
  readonly verify_url: string
}

export const revisions = Effect.fn("signals.revisions")(function* (part: ReadonlyArray<Happened>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<RevisionRow>`
    select r.id, s.symbol, s.metric, s.source, s.unit, r.as_of, r.before_value, r.before_text, r.after_value,
      r.after_text, r.why, d.verify_url
    from revision r join series s on s.id = r.series cross join lateral (
      select verify_url from daily where series = r.series and day = (r.as_of at time zone 'UTC')::date
      order by incident, version desc limit 1
    ) d where r.id = any(${ints(part.map(({ ref }) => ref))})`
  return told(part, rows, ({ as_of, after_text, before_text, id: _, why, ...row }) =>
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

interface IncidentRow {
  readonly id: number
  readonly kind: "automatic" | "manual"
  readonly symbol: string
  readonly metric: string
  readonly source: string | null
  readonly reason: string
  readonly opened_at: Date
  readonly closed_at: Date | null
  readonly verify_url: string | null
}

export const incidents = Effect.fn("signals.incidents")(function* (part: ReadonlyArray<Happened>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<IncidentRow>`
    select i.id, i.kind, i.symbol, i.metric, i.source, i.reason, i.opened_at, i.closed_at, v.verify_url
    from incident i left join lateral (
      select d.verify_url from series s cross join lateral (
        select verify_url from daily where series = s.id order by day desc limit 1
      ) d
      where s.symbol = i.symbol and s.metric = i.metric and (i.source is null or s.source = i.source)
      order by s.source limit 1
    ) v on true where i.id = any(${ints(part.map(({ ref }) => ref))})`
  return told(
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

interface AnchorRow {
  readonly id: number
  readonly size: number
  readonly network: string
  readonly at: Date
  readonly block_height: number | null
  readonly block_hash: string | null
  readonly block_time: Date | null
}

export const anchors = Effect.fn("signals.anchors")(function* (part: ReadonlyArray<Happened>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<AnchorRow>`
    select id, size, network, coalesce(asked_at, stamped_at) as at, block_height, block_hash, block_time
    from anchor where id = any(${ints(part.map(({ ref }) => ref))})`
  return told(part, rows, ({ at, block_hash, block_height, block_time, network, size }, { became, was }) => {
    const held = became === "confirmed" || became === "final"
    const block = held && block_height !== null ? `, block ${block_height} ${block_hash}` : ""
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
  })
})

const told = <Row extends { readonly id: number }>(
  part: ReadonlyArray<Happened>,
  rows: ReadonlyArray<Row>,
  says: (row: Row, happened: Happened) => Measured | undefined
): Told => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return new Map(
    part.flatMap((happened) => {
      const row = byId.get(happened.ref)
      const measured = row === undefined ? undefined : says(row, happened)
      return measured === undefined ? [] : [[happened.id, measured] as const]
    })
  )
}
