/** The port to the EVM chain on which stablecoins arrive. The adapter is in `runtime/outside`. */
import { Context, type Effect, Schema } from "effect"

/** The chain could not be read, so nothing can be concluded. */
export class ChainUnreachable extends Schema.TaggedError<ChainUnreachable>()("ChainUnreachable", {
  message: Schema.String
}) {}

export interface Block {
  readonly number: bigint
  readonly hash: string
  readonly time: Date
}

/** A `Transfer` log of the token to the deposit address; addresses in lower case. */
export interface Transfer {
  readonly tx: string
  readonly logIndex: number
  readonly block: bigint
  readonly blockHash: string
  readonly sender: string
  /** Token units. USDC has 6 decimals, so a unit is a micro-dollar. */
  readonly units: bigint
}

/** One transfer of the token; addresses in lower case. */
export interface TokenTransfer {
  readonly from: string
  readonly to: string
  readonly units: bigint
}

export interface Chain {
  readonly chainId: number
  /** Native USDC, lower case. */
  readonly token: string
  /** The deposit address, lower case. */
  readonly depositAddress: string
  readonly code: (address: string) => Effect.Effect<string, ChainUnreachable>
  readonly block: (which: "latest" | "finalized" | bigint) => Effect.Effect<Block, ChainUnreachable>
  /** Every transfer of the token in a final transaction, and the time of its block; undefined if it is not final. */
  readonly finalTransaction: (
    tx: string
  ) => Effect.Effect<
    { readonly time: Date; readonly transfers: ReadonlyArray<TokenTransfer> } | undefined,
    ChainUnreachable
  >
  /** Transfers to the deposit address in these blocks, both inclusive, in chain order. */
  readonly transfers: (from: bigint, to: bigint) => Effect.Effect<ReadonlyArray<Transfer>, ChainUnreachable>
}

/** Null if no chain is configured. */
export const Chain = Context.Reference<Chain | null>("core/credits/chain/Chain", { defaultValue: () => null })

/** The chain as seen from the address that is paid per request (x402); null if there is none. */
export const SalesChain = Context.Reference<Chain | null>("core/credits/chain/SalesChain", {
  defaultValue: () => null
})

/** Names of well-known chains; others are named by their id. */
export const chainName = (chainId: number): string =>
  ({ 8453: "Base", 84532: "Base Sepolia", 1: "Ethereum" })[chainId] ?? `EVM chain ${chainId}`
