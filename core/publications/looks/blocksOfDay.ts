/** The blocks that the proofs of a day's leaves name. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { BlockName } from "../../log/record/chain/read.ts"
import { chainReads } from "../../log/record/chainReads.ts"
import { evmReads } from "../../log/record/evmReads.ts"
import type { ToldState } from "../../proof/chain/evmRead.ts"
import { compareBlocks } from "../../proof/chainLooks.ts"
import { hasChainProof } from "../../readings/ingest/runs/chainExchanges.ts"
import { rowsOf } from "../../sql/rows.ts"

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
    ) r where ${sql.literal(hasChainProof("r.run"))}
    order by r.run limit ${mostRuns}`.pipe(runRows)
})

/** The block of a state that a node of an EVM chain proves; none where it does not say which. */
const blockOfState = ({ block, chain }: ToldState): ReadonlyArray<BlockName> => {
  const { hash, number } = block
  return typeof number === "string" &&
    /^0x[0-9a-fA-F]{1,12}$/.test(number) &&
    /^0x[0-9a-fA-F]{64}$/.test(String(hash))
    ? [{ chain, number: Number(number), hash: String(hash).slice(2).toLowerCase() }]
    : []
}

/** Those blocks in the order of a document, each once. */
export const blocksOf = Effect.fn("looks.blocksOf")(function* (day: string) {
  const blocks = new Map<string, BlockOfDay>()
  for (const { run } of yield* provingRuns(day)) {
    const { reads } = yield* chainReads(run)
    const ofContracts = yield* evmReads(run, [])
    for (const block of [...reads.map((read) => read.block), ...ofContracts.reads.flatMap(blockOfState)]) {
      const name = JSON.stringify(block)
      const runs = blocks.get(name)?.runs ?? []
      blocks.set(name, { ...block, runs: runs.includes(run) ? runs : [...runs, run] })
    }
  }
  return [...blocks.values()].sort(compareBlocks)
})
