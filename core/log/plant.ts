/** Plants a batch's Merkle tree over its leaves. A repeated call replaces the tree. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../data/rows.ts"
import { concat } from "../proof/bytes.ts"
import { buildTree } from "../proof/merkle.ts"
import { sha256 } from "./leaves.ts"

const hashRows = rowsOf({ hash: Schema.Uint8Array })

/** Sorts the batch's leaves and stores their tree, which it returns. */
export const plant = Effect.fnUntraced(function* (batch: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update leaf l set place = o.place from (
      select f.ctid as row, row_number() over (
        order by f.series is null, s.symbol collate "C", s.metric collate "C", s.source collate "C", f.day,
          f.incident, f.version
      ) - 1 as place
      from leaf f left join series s on s.id = f.series where f.batch = ${batch}
    ) o where l.ctid = o.row and l.batch = ${batch}`
  const hashes: Array<Uint8Array> = []
  while (true) {
    const page = yield* sql`
      select hash from leaf where batch = ${batch} and place >= ${hashes.length} order by place limit 10000`.pipe(
      hashRows
    )
    hashes.push(...page.map(({ hash }) => hash))
    if (page.length < 10_000) break
  }
  const tree = buildTree(concat(...hashes), sha256)
  yield* sql`delete from tree_level where batch = ${batch}`
  for (const [level, bytes] of tree.levels.entries()) {
    yield* sql`insert into tree_level ${sql.insert({ batch, level, hashes: bytes })}`
  }
  return tree
})
