/** Inclusion proofs from a batch's stored tree levels: each sibling is 32 bytes at a known offset. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ints } from "../data/ingest/arrays.ts"
import { rowsOf } from "../data/rows.ts"
import { toHex } from "../proof/bytes.ts"
import { hashLength, inclusionFrom } from "../proof/merkle.ts"

const hashRows = rowsOf({ hash: Schema.Uint8Array })

/** The path of the leaf at `place` of a batch of `size` leaves, hex. */
export const storedPath = Effect.fn("Log.storedPath")(function* (batch: number, size: number, place: number) {
  const sql = yield* SqlClient.SqlClient
  const wanted: Array<{ level: number; index: number }> = []
  inclusionFrom(
    (level, index) => {
      wanted.push({ level, index })
      return new Uint8Array()
    },
    size,
    place
  )
  if (wanted.length === 0) return []
  const rows = yield* sql`
    select substring(t.hashes from w.first for ${hashLength}::int) as hash
    from unnest(${ints(wanted.map(({ level }) => level))},
      ${ints(wanted.map(({ index }) => index * hashLength + 1))}) with ordinality as w(level, first, n)
      join tree_level t on t.batch = ${batch} and t.level = w.level
    order by w.n`.pipe(hashRows)
  return rows.length === wanted.length
    ? rows.map(({ hash }) => toHex(hash))
    : yield* Effect.die(`batch ${batch} lacks a level of its tree`)
})
