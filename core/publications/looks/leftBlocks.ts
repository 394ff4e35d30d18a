/**
 * Blocks that their chain has left, as operators say: what was read at one is not of the chain. Its readings are held by an incident, so
 * that the day gets a new version, and nobody waits for them: later runs read other blocks.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { findProof } from "../../log/record/chainProof.ts"
import { leastOperators } from "../../proof/chain/canonicalBlock.ts"
import type { BlockLooks } from "../../proof/chainLooks.ts"
import { parseLeaf, type RowLeaf } from "../../proof/leaf.ts"
import { Incidents } from "../../readings/ingest/Incidents.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { BlockOfDay } from "./blocksOfDay.ts"

const leafRows = rowsOf({ text: Schema.String })

/** The hash that at least two operators have in the place of a block's, and no operator that one; undefined where there is none. */
const insteadOf = ({ hash, looks }: BlockLooks) => {
  if (looks.some((look) => look.hash === hash)) return undefined
  const others = Map.groupBy(
    looks.filter((look) => look.hash !== undefined),
    (look) => look.hash
  )
  const [other, who] = [...others].find(([, each]) => each.length >= leastOperators) ?? []
  return other === undefined || who === undefined
    ? undefined
    : { hash: other, operators: who.map(({ operator }) => operator) }
}

/** The leaves of a day that a run gave. */
const leavesOf = Effect.fnUntraced(function* (day: string, run: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select l.text from leaf l join batch b on b.id = l.batch where b.day = ${day}::date and l.run = ${run}
    order by l.place limit 1000000`.pipe(leafRows)
  return rows.flatMap(({ text }): ReadonlyArray<RowLeaf> => {
    const leaf = parseLeaf(text)
    return leaf.kind === "absent" ? [] : [leaf]
  })
})

/** Holds the readings of a day that were read at a block which its chain has left. */
export const holdLeft = Effect.fn("looks.holdLeft")(function* (
  day: string,
  { chain, hash, number, runs }: BlockOfDay,
  looks: BlockLooks
) {
  const instead = insteadOf(looks)
  if (instead === undefined) return
  const incidents = yield* Incidents
  const about = { chain, number, hash, instead: instead.hash, operators: instead.operators.join(", ") }
  const reason = `read at block ${number} of ${chain} with the hash ${hash}, which the chain does not have, as ${instead.operators.join(" and ")} say: there it has ${instead.hash}`
  const excluding = new Set<number>()
  for (const run of runs)
    for (const leaf of yield* leavesOf(day, run)) {
      const outcome = yield* findProof(run, leaf)
      if (!("proof" in outcome) || outcome.proof.block.hash !== hash || outcome.proof.chain !== chain)
        continue
      const { metric, source, symbol } = leaf
      const at = Date.parse(leaf.as_of)
      excluding.add(yield* incidents.hold({ symbol, metric, source, from: at, to: at }, reason))
    }
  if (excluding.size === 0) return
  yield* incidents.end([...excluding], "over: later runs read other blocks; what was held stays held")
  yield* Effect.logError("readings are of a block that its chain does not have; opened incidents", {
    ...about,
    incidents: excluding.size
  })
})
