/** Inclusion proofs from a batch's stored tree levels: each sibling is 32 bytes at a known offset. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
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
  return yield* Effect.forEach(wanted, ({ index, level }) =>
    Effect.map(
      sql`
        select substring(hashes from ${index * hashLength + 1}::int for ${hashLength}::int) as hash
        from tree_level where batch = ${batch} and level = ${level}`.pipe(hashRows),
      ([node]) => toHex(node?.hash ?? new Uint8Array())
    )
  )
})
