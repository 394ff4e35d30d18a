/** What the consensus of chains says of a day's blocks: who signed them, from the first node that gives it and where it holds. */
import { Effect, Option, Result } from "effect"
import { makeThread } from "../../process/threads/thread.ts"
import { type ChainFinality, finalityTag } from "../../proof/finality/document.ts"
import { tagged } from "../../proof/leaf.ts"
import type { BlockOfDay } from "./blocksOfDay.ts"
import { type ChainNode, ChainNodes } from "./ChainNodes.ts"

/** Blocks that are asked for at once. */
const askedAtOnce = 4
/** How long the nodes of a chain may take for one block. */
const patience = "1 minute"

/** Why a document is not of this block; undefined where it is. */
const differenceFrom = ({ hash, number }: BlockOfDay, { block }: ChainFinality): string | undefined =>
  block.hash === hash && block.number === number ? undefined : `it has another block: ${block.hash}`

/** Documents of finality of the day's blocks, of those of whose chain a node gives one that holds. A node that does not is no failure. */
export const finalBlocks = Effect.fn("looks.finalBlocks")(function* (
  day: string,
  blocks: ReadonlyArray<BlockOfDay>,
  simulated: boolean
) {
  const nodes = yield* ChainNodes
  const refusalOf = yield* makeThread<ChainFinality, string | undefined>(
    new URL("signers.thread.ts", import.meta.url),
    "signers of blocks"
  )

  /** The document by what a node gives, or why it is none; neither where its chain's kind has none. */
  const fromNode = Effect.fnUntraced(function* (node: ChainNode, block: BlockOfDay) {
    const outcome = yield* Effect.result(nodes.finalityAt(node, block.number))
    if (Result.isFailure(outcome)) return { why: outcome.failure.why }
    const signed = outcome.success
    if (Option.isNone(signed)) return {}
    const document: ChainFinality = {
      v: tagged(finalityTag, simulated),
      day,
      chain: block.chain,
      ...signed.value,
      ...(simulated ? { simulated: true } : {})
    }
    const why = differenceFrom(block, document) ?? (yield* refusalOf(document))
    return why === undefined ? { document } : { why }
  })

  const ofBlock = Effect.fnUntraced(function* (block: BlockOfDay) {
    for (const node of nodes.all.filter(({ chain }) => chain === block.chain)) {
      const { document, why } = yield* fromNode(node, block)
      if (document !== undefined) return [document]
      if (why !== undefined)
        yield* Effect.logWarning("a node does not say who signed a block of its chain", {
          chain: block.chain,
          operator: node.operator,
          number: block.number,
          why
        })
    }
    return []
  })

  const inTime = (block: BlockOfDay) =>
    Effect.map(
      Effect.timeoutOption(ofBlock(block), patience),
      Option.getOrElse(() => [])
    )
  return (yield* Effect.forEach(blocks, inTime, { concurrency: askedAtOnce })).flat()
}, Effect.scoped)
