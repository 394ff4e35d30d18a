/** A checkpoint's Bitcoin timestamp, as served. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../data/rows.ts"
import { isoTime } from "../../plugin/Value.ts"
import type { Anchor } from "../../wire/log/anchor.ts"
import { LogKey } from "../Log.ts"
import { remembering } from "./remembering.ts"

const anchorRows = rowsOf({
  size: Schema.Int,
  state: Schema.Literals(["pending", "confirmed", "final"]),
  network: Schema.String,
  stamped_at: Schema.Date,
  block_height: Schema.NullOr(Schema.Int),
  block_time: Schema.NullOr(Schema.Date),
  block_hash: Schema.NullOr(Schema.String)
})
const failureRows = rowsOf({ reason: Schema.String })

/** Path of the proof of the checkpoint of this size. */
export const otsPath = (size: number): string => `/v1/log/checkpoints/${size}.ots`

/** The size of a checkpoint that no log reaches. */
const noEnd = 2_147_483_647

/** The best anchor of the first stamped checkpoint of at most `upTo` entries that covers the log entry at `place`. */
export const anchorOf = Effect.fn("Log.anchorOf")(function* (place: number, upTo: number = noEnd) {
  const sql = yield* SqlClient.SqlClient
  const { simulated } = yield* LogKey
  const none = (reason: string): Anchor => ({ state: "none", reason })
  if (simulated) return none("replay mode contacts no calendar, so demo checkpoints are not anchored")
  const [row] = yield* sql`
    select size, state, network, stamped_at, block_height, block_time, block_hash from anchor
    where size > ${place} and size <= ${upTo} and state <> 'lost'
    order by case state when 'final' then 0 when 'confirmed' then 1 else 2 end, size, id limit 1`.pipe(
    anchorRows
  )
  if (row !== undefined) {
    return {
      state: row.state,
      checkpoint_size: row.size,
      network: row.network,
      stamped_at: isoTime(row.stamped_at.getTime()),
      ...(row.block_height === null ? {} : { block_height: row.block_height }),
      ...(row.block_time === null ? {} : { block_time: isoTime(row.block_time.getTime()) }),
      ...(row.block_hash === null ? {} : { block_hash: row.block_hash }),
      ots_url: otsPath(row.size)
    } satisfies Anchor
  }
  const [failure] = yield* sql`
    select reason from anchor_failure where size > ${place} and size <= ${upTo} order by size limit 1`.pipe(
    failureRows
  )
  return none(failure?.reason ?? "not stamped yet; the next round will stamp it")
})

/** Anchors of log entries, by their index. */
export const anchors = remembering<Anchor>(500)
