/** What the consensus of chains says of a day's blocks: who signed them, from the first node that gives it and where it holds. */
import { Effect, Option, Result } from "effect"
import { Malformed } from "../../proof/bytes.ts"
import { type ChainFinality, finalityTag } from "../../proof/finality/document.ts"
import { demandSigned } from "../../proof/finality/verifyFinality.ts"
import { tagged } from "../../proof/leaf.ts"
import type { BlockOfDay } from "./blocksOfDay.ts"
import { type ChainNode, ChainNodes } from "./ChainNodes.ts"

/** Blocks that are asked for at once. */
const askedAtOnce = 4
/** How long the nodes of a chain may take for one block. */
const patience = "1 minute"

/** Why a document is not logged; undefined where it is of this block, and those signed it whom it names. */
const refusalOf = (document: ChainFinality, { hash, number }: BlockOfDay): string | undefined => {
  if (document.block.hash !== hash || document.block.number !== number)
    return `it has another block: ${document.block.hash}`
  try {
    demandSigned(document)
    return undefined
  } catch (error) {
    if (error instanceof Malformed) return error.message
    throw error
  }
}

/** Documents of finality of the day's blocks, of those of whose chain a node gives one that holds. A node that does not is no failure. */
export const finalBlocks = Effect.fn("looks.finalBlocks")(function* (
  day: string,
  blocks: ReadonlyArray<BlockOfDay>,
  simulated: boolean
) {
  const nodes = yield* ChainNodes

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
    const why = refusalOf(document, block)
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
})
