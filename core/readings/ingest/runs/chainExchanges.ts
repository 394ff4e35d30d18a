/**
 * Exchanges whose answers prove by a chain what a run read of it: the nodes of its state, the header over them, and the first block.
 */

/** Whether a row of `exchange` is one. */
export const provesChain = (exchange: string): string =>
  `${exchange}.request_body ~ '"method":"(state_getReadProof|chain_getHeader|chain_getBlockHash|abci_query|commit|validators)"'`
