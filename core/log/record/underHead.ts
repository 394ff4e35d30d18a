/** A log entry under a head of the log, with the head's timestamp. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Bundle } from "../../proof/bundle.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { ServedHead } from "../heads.ts"
import { Log, LogKey } from "../Log.ts"
import { type AnchorRow, anchorFields, anchorFrom, bestAnchor } from "./anchor.ts"
import { recordCache } from "./recordCache.ts"

/** What `headColumn` gives. */
export const StoredHead = Schema.Struct({
  /** The OpenTimestamps proof, base64. */
  proof: Schema.NullOr(Schema.String),
  block_header: Schema.NullOr(Schema.String),
  /** The checkpoint and its size; null while none is stored, as in an empty log. */
  note: Schema.NullOr(Schema.String),
  size: Schema.NullOr(Schema.Int),
  cosignatures: Schema.Array(Schema.String)
})

const headRows = rowsOf({ ...anchorFields, head: StoredHead })

/** The served head, and the size of the last checkpoint that may be used instead of it. */
interface Under {
  readonly head: Pick<ServedHead, "size" | "note">
  readonly upTo?: number | undefined
}

/**
 * The stamped checkpoint (or the newest, if none is stamped yet) with its proof and the first cosignature of each witness,
 * which dates it: a column for a statement whose `from` has the entry's `bestAnchor` as `anchored`.
 */
export const headColumn = Effect.fnUntraced(function* ({
  head,
  upTo
}: Omit<Under, "head"> & { readonly head: Pick<ServedHead, "size"> }) {
  const sql = yield* SqlClient.SqlClient
  const { simulated } = yield* LogKey
  return sql`(
    select json_build_object(
      'proof', translate(encode(stamp.proof, 'base64'), chr(10), ''), 'block_header', stamp.block_header,
      'note', c.note, 'size', c.size,
      'cosignatures', (
        select coalesce(json_agg(line), '[]') from (
          select distinct on (witness) line from cosignature
          where size = coalesce(c.size, ${head.size}::int) order by witness, at
        ) first
      ))
    from (values (1)) one
      left join lateral (
        select proof, block_header from anchor
        where not ${simulated} and size = anchored.anchor_size and state = anchored.anchor_state order by id limit 1
      ) stamp on true
      left join checkpoint c
        on c.size = coalesce(case when not ${simulated} then anchored.anchor_size end, ${upTo ?? head.size}::int)
  )`
})

/** The inclusion of the log entry at `place` under that head, and the head's anchor. */
export const headFrom = Effect.fnUntraced(function* (
  place: number,
  { head }: Under,
  row: AnchorRow & { readonly head: typeof StoredHead.Type }
) {
  const log = yield* Log
  const anchor = yield* anchorFrom(row)
  const { block_header, cosignatures, note, proof, size: stored } = row.head
  const size = stored ?? head.size
  return {
    log: {
      index: place,
      size,
      path: yield* log.inclusion(place, size),
      checkpoint: (stored === null ? head.note : note) ?? "",
      ...(cosignatures.length === 0 ? {} : { cosignatures })
    },
    anchor: {
      network: anchor.network === "bitcoin-regtest-fixture" ? "bitcoin-regtest-fixture" : "bitcoin",
      status: anchor.state,
      ...(anchor.reason === undefined ? {} : { reason: anchor.reason }),
      ...(proof === null ? {} : { ots: proof }),
      ...(block_header === null || row.block_height === null
        ? {}
        : { header: { height: row.block_height, hex: block_header } })
    }
  } satisfies Pick<Bundle, "log" | "anchor">
})

/** The inclusion and the anchor of an entry that the head has, read by themselves. */
export const underHead = Effect.fn("Log.underHead")(function* (
  place: number,
  head: ServedHead,
  upTo?: number
) {
  return yield* cachedRead(JSON.stringify([place, upTo, head.size]), read(place, { head, upTo }))
})

const read = Effect.fnUntraced(function* (place: number, under: Under) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select anchored.*, ${yield* headColumn(under)} as head
    from ${bestAnchor(sql, sql`${place}::int`, under.upTo ?? under.head.size)} anchored`.pipe(headRows)
  if (row === undefined) return yield* Effect.die("one row has no row")
  return yield* headFrom(place, under, row)
})

const cachedRead = recordCache<Effect.Success<ReturnType<typeof read>>>(500)
