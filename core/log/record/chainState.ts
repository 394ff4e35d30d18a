/** What may be said of a published value by its chain: what a block says, and apart from it whether the block is one of the chain. */
import { Effect } from "effect"
import { leastOperators } from "../../proof/chain/canonicalBlock.ts"
import type { RowLeaf } from "../../proof/leaf.ts"
import { Log } from "../Log.ts"
import type { BlockName } from "./chain/read.ts"
import { looksOfBlock } from "./chainLooks.ts"
import { chainEvidence } from "./chainProof.ts"

/** What a chain says of a published value, and who says that the block is one of the chain. */
export type ChainState =
  /** No chain's state proves it; `why` is a sentence's end. */
  | { readonly state: "none"; readonly why: string }
  /** The block's own state has it. Whether the block is one of the chain nobody has said, or not enough operators. */
  | { readonly state: "proved"; readonly block: BlockName }
  /** And so many operators had that block at its height, when it was final by their word. */
  | { readonly state: "confirmed"; readonly block: BlockName; readonly operators: ReadonlyArray<string> }
  /** An operator has another block at its height. */
  | { readonly state: "contradicted"; readonly block: BlockName; readonly operators: ReadonlyArray<string> }

/** The same of a value that the run with this leaf gave. */
export const chainState = Effect.fn("Log.chainState")(function* (run: string, row: RowLeaf) {
  const outcome = yield* chainEvidence(run, row)
  if (!("evidence" in outcome)) return { state: "none", why: outcome.missing } satisfies ChainState
  const { block: read, chain } = outcome.proof
  const block: BlockName = { chain, number: read.number, hash: read.hash }
  const head = yield* (yield* Log).served
  const statements = (yield* looksOfBlock(block, row.day, head, head.size))?.statements ?? []
  const others = statements.filter(({ hash }) => hash !== block.hash)
  const operators = (others.length > 0 ? others : statements).map(({ operator }) => operator)
  if (others.length > 0) return { state: "contradicted", block, operators } satisfies ChainState
  return operators.length < leastOperators
    ? ({ state: "proved", block } satisfies ChainState)
    : ({ state: "confirmed", block, operators } satisfies ChainState)
})
