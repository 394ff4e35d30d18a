/** Plants a batch's Merkle tree over its leaves. A repeated call replaces the tree. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { concat } from "../proof/bytes.ts"
import { buildTree } from "../proof/merkle.ts"
import { rowsOf } from "../sql/rows.ts"
import { sha256 } from "./leaves.ts"

const leafRows = rowsOf({ place: Schema.Int, hash: Schema.Uint8Array })

/** Gives the batch's leaves their places: by series name, day, incident and version, the absence leaf last. */
export const placeLeaves = Effect.fnUntraced(function* (batch: number) {
  const sql = yield* SqlClient.SqlClient
  // A place is unique at every moment of a statement.
  yield* sql`update leaf set place = null where batch = ${batch} and place is not null`
  yield* sql`
    update leaf l set place = o.place from (
      select f.ctid as row, row_number() over (
        order by f.series is null, s.symbol collate "C", s.metric collate "C", s.source collate "C", f.day,
          f.incident, f.version
      ) - 1 as place
      from leaf f left join series s on s.id = f.series where f.batch = ${batch}
    ) o where l.ctid = o.row and l.batch = ${batch}`
})

/** Stores the tree of the batch's leaves, each of which has its place, and returns it. */
export const storeTree = Effect.fnUntraced(function* (batch: number) {
  const sql = yield* SqlClient.SqlClient
  const hashes: Array<Uint8Array> = []
  while (true) {
    const page = yield* sql`
      select place, hash from leaf where batch = ${batch} and place >= ${hashes.length}
      order by place limit 10000`.pipe(leafRows)
    for (const { hash, place } of page) {
      if (place !== hashes.length) return yield* Effect.die(`batch ${batch} has no leaf ${hashes.length}`)
      hashes.push(hash)
    }
    if (page.length < 10_000) break
  }
  const tree = buildTree(concat(...hashes), sha256)
  yield* sql`delete from tree_level where batch = ${batch}`
  for (const [level, bytes] of tree.levels.entries()) {
    yield* sql`insert into tree_level ${sql.insert({ batch, level, hashes: bytes })}`
  }
  return tree
})
