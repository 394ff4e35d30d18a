/** A log entry under a head of the log, with the head's timestamp. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../data/rows.ts"
import type { Bundle } from "../../proof/bundle.ts"
import { toBase64 } from "../../proof/bytes.ts"
import { Log } from "../Log.ts"
import { anchorOf } from "./anchor.ts"
import { cosignatureLines } from "./cosignatures.ts"

const stampRows = rowsOf({
  proof: Schema.Uint8Array,
  block_height: Schema.NullOr(Schema.Int),
  block_header: Schema.NullOr(Schema.String)
})
const checkpointRows = rowsOf({ note: Schema.String, size: Schema.Int })

/**
 * A log entry's inclusion under the stamped checkpoint (or the newest, if none is stamped yet), with its anchor
 * and cosignatures. `upTo`
 * is the size of the last checkpoint that may be used.
 */
export const underHead = Effect.fn("Log.underHead")(function* (place: number, upTo?: number) {
  const sql = yield* SqlClient.SqlClient
  const log = yield* Log
  const head = yield* log.head
  const last = upTo ?? head.size
  const anchor = yield* anchorOf(place, upTo)
  const [stamp] = yield* sql`
    select proof, block_height, block_header from anchor
    where size = ${anchor.checkpoint_size ?? -1} and state = ${anchor.state} order by id limit 1`.pipe(
    stampRows
  )
  const [stamped] = yield* sql`
    select note, size from checkpoint where size = ${anchor.checkpoint_size ?? last}`.pipe(checkpointRows)
  const { note, size } = stamped ?? head
  const cosignatures = yield* cosignatureLines(size, "first")
  return {
    log: {
      index: place,
      size,
      path: yield* log.inclusion(place, size),
      checkpoint: note ?? "",
      ...(cosignatures.length === 0 ? {} : { cosignatures })
    },
    anchor: {
      network: anchor.network === "bitcoin-regtest-fixture" ? "bitcoin-regtest-fixture" : "bitcoin",
      status: anchor.state,
      ...(anchor.reason === undefined ? {} : { reason: anchor.reason }),
      ...(stamp === undefined ? {} : { ots: toBase64(stamp.proof) }),
      ...(stamp?.block_header == null || stamp.block_height === null
        ? {}
        : { header: { height: stamp.block_height, hex: stamp.block_header } })
    }
  } satisfies Pick<Bundle, "log" | "anchor">
})
