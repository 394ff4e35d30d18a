/** The blocks that the proofs of a day's leaves name. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { compareBlocks } from "../../proof/chainLooks.ts"
import { provesChain } from "../../readings/ingest/runs/chainExchanges.ts"
import { rowsOf } from "../../sql/rows.ts"
import { chainReads } from "../record/chainReads.ts"

export interface BlockOfDay {
  /** CAIP-2. */
  readonly chain: string
  readonly number: number
  /** Hex. */
  readonly hash: string
  /** The runs that read it. */
  readonly runs: ReadonlyArray<string>
}

/** Runs of a day that are looked through. */
const mostRuns = 10_000

const runRows = rowsOf({ run: Schema.String })

/** The runs whose leaves are in the batch of a day, and which have proofs of chains. */
const provingRuns = Effect.fnUntraced(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select r.run from (
      select distinct l.run from leaf l join batch b on b.id = l.batch where b.day = ${day}::date and l.run is not null
    ) r where exists (select 1 from exchange x where x.run = r.run and ${sql.literal(provesChain("x"))})
    order by r.run limit ${mostRuns}`.pipe(runRows)
})

/** Those blocks in the order of a document, each once. */
export const blocksOf = Effect.fn("looks.blocksOf")(function* (day: string) {
  const blocks = new Map<string, BlockOfDay>()
  for (const { run } of yield* provingRuns(day)) {
    const { reads } = yield* chainReads(run)
    for (const { block } of reads) {
      const name = JSON.stringify(block)
      const runs = blocks.get(name)?.runs ?? []
      blocks.set(name, { ...block, runs: runs.includes(run) ? runs : [...runs, run] })
    }
  }
  return [...blocks.values()].sort(compareBlocks)
})
