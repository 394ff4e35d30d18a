/** Inclusion proofs from a batch's stored tree levels: each sibling is 32 bytes at a known offset. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { hashLength, inclusionFrom } from "../proof/merkle.ts"
import { rowsOf } from "../sql/rows.ts"

/**
 * The path of the leaf `l` of the batch `b`, as a column: of each level but the last, the node beside the leaf's own. A
 * level without one has no part in the path.
 */
export const pathColumn = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql.literal(`array(
    select encode(substring(t.hashes from ((l.place >> t.level) # 1) * ${hashLength} + 1 for ${hashLength}), 'hex')
    from tree_level t where t.batch = l.batch
      and ((l.place >> t.level) # 1) * ${hashLength} < octet_length(t.hashes)
    order by t.level
  )`)

/** That column, checked: a tree may lack a level. */
export const pathFrom = Effect.fnUntraced(function* (leaf: {
  readonly batch: number
  readonly tree_size: number
  readonly place: number
  readonly path: ReadonlyArray<string>
}) {
  const { length } = inclusionFrom(() => new Uint8Array(), leaf.tree_size, leaf.place)
  return leaf.path.length === length
    ? leaf.path
    : yield* Effect.die(`batch ${leaf.batch} lacks a level of its tree`)
})

const pathRows = rowsOf({ path: Schema.Array(Schema.String) })

/** The path of the leaf at `place` of a batch of `size` leaves, hex. */
export const storedPath = Effect.fn("Log.storedPath")(function* (batch: number, size: number, place: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select ${pathColumn(sql)} as path
    from (values (${batch}::int, ${place}::int)) l (batch, place)`.pipe(pathRows)
  return yield* pathFrom({ batch, tree_size: size, place, path: row?.path ?? [] })
})
