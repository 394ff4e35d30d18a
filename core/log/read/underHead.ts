/** A log entry under a head of the log, with the head's timestamp. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../data/rows.ts"
import type { Bundle } from "../../proof/bundle.ts"
import { toBase64 } from "../../proof/bytes.ts"
import { Log, LogKey } from "../Log.ts"
import { anchorFields, anchorFrom, bestAnchor } from "./anchor.ts"
import { remembering } from "./remembering.ts"

const headRows = rowsOf({
  ...anchorFields,
  proof: Schema.NullOr(Schema.Uint8Array),
  block_header: Schema.NullOr(Schema.String),
  note: Schema.NullOr(Schema.String),
  size: Schema.NullOr(Schema.Int),
  cosignatures: Schema.Array(Schema.String)
})

/**
 * A log entry's inclusion under the stamped checkpoint (or the newest, if none is stamped yet), with its anchor and the
 * first cosignature of each witness, which dates the head. `upTo` is the size of the last checkpoint that may be used.
 */
export const underHead = Effect.fn("Log.underHead")(function* (place: number, upTo?: number) {
  const { size } = yield* (yield* Log).head
  return yield* known(JSON.stringify([place, upTo, size]), read(place, upTo))
})

const read = Effect.fnUntraced(function* (place: number, upTo?: number) {
  const sql = yield* SqlClient.SqlClient
  const log = yield* Log
  const head = yield* log.head
  const { simulated } = yield* LogKey
  const [row] = yield* sql`
    select anchored.*, stamp.proof, stamp.block_header, c.note, c.size, array(
        select distinct on (witness) line from cosignature
        where size = coalesce(c.size, ${head.size}) order by witness, at
      ) as cosignatures
    from ${bestAnchor(sql, sql`${place}::int`, upTo)} anchored
      left join lateral (
        select proof, block_header from anchor
        where not ${simulated} and size = anchored.anchor_size and state = anchored.anchor_state order by id limit 1
      ) stamp on true
      left join checkpoint c
        on c.size = coalesce(case when not ${simulated} then anchored.anchor_size end, ${upTo ?? head.size})`.pipe(
    headRows
  )
  if (row === undefined) return yield* Effect.die("one row has no row")
  const anchor = yield* anchorFrom(row)
  const size = row.size ?? head.size
  return {
    log: {
      index: place,
      size,
      path: yield* log.inclusion(place, size),
      checkpoint: (row.size === null ? head.note : row.note) ?? "",
      ...(row.cosignatures.length === 0 ? {} : { cosignatures: row.cosignatures })
    },
    anchor: {
      network: anchor.network === "bitcoin-regtest-fixture" ? "bitcoin-regtest-fixture" : "bitcoin",
      status: anchor.state,
      ...(anchor.reason === undefined ? {} : { reason: anchor.reason }),
      ...(row.proof === null ? {} : { ots: toBase64(row.proof) }),
      ...(row.block_header === null || row.block_height === null
        ? {}
        : { header: { height: row.block_height, hex: row.block_header } })
    }
  } satisfies Pick<Bundle, "log" | "anchor">
})

const known = remembering<Effect.Success<ReturnType<typeof read>>>(500)
