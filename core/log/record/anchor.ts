/** A checkpoint's Bitcoin timestamp, as served. */
import { Effect, Schema } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { isoTime } from "../../plugin/Value.ts"
import type { Anchor } from "../../wire/log/anchor.ts"
import { LogKey } from "../Log.ts"

/** The columns of `bestAnchor`. */
export const anchorFields = {
  anchor_size: Schema.NullOr(Schema.Int),
  anchor_state: Schema.NullOr(Schema.Literals(["pending", "confirmed", "final"])),
  anchor_network: Schema.NullOr(Schema.String),
  stamped_at: Schema.NullOr(Schema.Date),
  block_height: Schema.NullOr(Schema.Int),
  block_time: Schema.NullOr(Schema.Date),
  block_hash: Schema.NullOr(Schema.String),
  anchor_failure: Schema.NullOr(Schema.String)
}
const AnchorRow = Schema.Struct(anchorFields)
export interface AnchorRow extends Schema.Schema.Type<typeof AnchorRow> {}

/** Path of the proof of the checkpoint of this size. */
export const otsPath = (size: number): string => `/v1/log/checkpoints/${size}.ots`

/**
 * One row, for a statement's `from`: the best anchor of the log entry at `place`, or why there is none. Heads of more than `upTo`
 * entries do not count.
 */
export const bestAnchor = (
  sql: SqlClient.SqlClient,
  place: Statement.Fragment,
  upTo: number
): Statement.Fragment => sql`(
    select a.size as anchor_size, a.state as anchor_state, a.network as anchor_network, a.stamped_at,
      a.block_height, a.block_time, a.block_hash, f.reason as anchor_failure
    from (values (1)) one
      left join lateral (
        select * from anchor where size > ${place} and size <= ${upTo} and state <> 'lost'
        order by case state when 'final' then 0 when 'confirmed' then 1 else 2 end, size, id limit 1
      ) a on true
      left join lateral (
        select reason from anchor_failure where size > ${place} and size <= ${upTo} order by size limit 1
      ) f on true
  )`

/** That row as served. */
export const anchorFrom = Effect.fnUntraced(function* (row: AnchorRow) {
  const { simulated } = yield* LogKey
  const none = (reason: string): Anchor => ({ state: "none", reason })
  if (simulated) return none("a demonstration puts nothing into Bitcoin")
  const { anchor_network, anchor_size, anchor_state, stamped_at } = row
  if (anchor_size === null || anchor_state === null || anchor_network === null || stamped_at === null) {
    return none(row.anchor_failure ?? "not stamped yet; the next round will stamp it")
  }
  const anchor: Anchor = {
    state: anchor_state,
    checkpoint_size: anchor_size,
    network: anchor_network,
    stamped_at: isoTime(stamped_at.getTime()),
    ...(row.block_height === null ? {} : { block_height: row.block_height }),
    ...(row.block_time === null ? {} : { block_time: isoTime(row.block_time.getTime()) }),
    ...(row.block_hash === null ? {} : { block_hash: row.block_hash }),
    ots_url: otsPath(anchor_size)
  }
  return anchor
})
