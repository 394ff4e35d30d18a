/** The port to nodes of chains whose operators are asked which block is one of the chain. */
import { Context, Data, type Effect, type Option } from "effect"
import type { ChainFinality } from "../../proof/finality/document.ts"

/** A node did not say which block it has. `why` is one line, without its name. */
export class NodeSilent extends Data.TaggedError("NodeSilent")<{ readonly why: string }> {}

export interface ChainNode {
  /** CAIP-2. */
  readonly chain: string
  /** Who operates it, as the operator of this service calls him. */
  readonly operator: string
  readonly url: string
  /** Of Ethereum, where the operator serves the API of its beacon chain; without it nobody is asked who signed a block. */
  readonly beacon?: string
}

/** A block with what its chain's consensus signed of it. */
export type SignedBlock = Pick<ChainFinality, "block" | "evidence">

export class ChainNodes extends Context.Service<
  ChainNodes,
  {
    readonly all: ReadonlyArray<ChainNode>
    /**
     * The hash of the block at a height, hex, by a node that says it is one of its chain. Fails where the block is not final by the
     * node's own word.
     */
    readonly hashAt: (node: ChainNode, number: number) => Effect.Effect<string, NodeSilent>
    /**
     * Who signed the block at a height, as a node tells it; that it holds is for the caller to see. None where the chain's kind has no
     * evidence that is read.
     */
    readonly finalityAt: (
      node: ChainNode,
      number: number
    ) => Effect.Effect<Option.Option<SignedBlock>, NodeSilent>
  }
>()("core/publications/looks/ChainNodes") {}
