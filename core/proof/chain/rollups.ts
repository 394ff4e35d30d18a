/** Chains whose blocks one sequencer makes, and which stand on Ethereum only later: what nodes of them call final is not a consensus of their own. */

/** Arbitrum One and Nova, whose headers and numbers of blocks are others than those of Ethereum. */
export const arbitrum: ReadonlySet<bigint> = new Set([42_161n, 42_170n])

/** OP Mainnet, Unichain, Mantle, Base, Celo, Linea, Scroll and these. */
const rollups: ReadonlySet<string> = new Set(
  [...arbitrum, 10, 130, 5000, 8453, 42220, 59144, 534352].map((id) => `eip155:${id}`)
)

/** Whether headers of a chain, by CAIP-2, are those of Arbitrum. */
export const isArbitrum = (chain: string): boolean => [...arbitrum].some((id) => chain === `eip155:${id}`)

/** What is to be said of a block of this chain beside who says that it is one; nothing of a chain with a consensus of its own. */
export const ofSequencer = (chain: string): string =>
  rollups.has(chain) ? "; it is the sequencer's block, and whether it is on Ethereum is not checked" : ""
