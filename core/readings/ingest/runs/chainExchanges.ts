/**
 * Exchanges whose answers prove by a chain what a run read of it: the nodes of its state, the header over them, and the first block. Of an
 * EVM chain the block is in the answer that says what calls read, and codes are beside the nodes.
 */

/** Whether a run has one that is in the table. */
export const hasChainProof = (run: string): string =>
  `exists (select 1 from exchange x where x.run = ${run} and ${provesChain("x")})`

/** Whether a row of `exchange` carries a proof, without which the others prove nothing: nodes of a trie, or a header that commits to validators. */
export const carriesProof = (exchange: string): string =>
  `${exchange}.request_body ~ '"method":"(state_getReadProof|eth_getProof|abci_query|commit)"'`

/** Whether a row of `exchange` is one. */
export const provesChain = (exchange: string): string =>
  `${exchange}.request_body ~ '"method":"(state_getReadProof|chain_getHeader|chain_getBlockHash|eth_getProof|eth_getCode|eth_createAccessList|abci_query|commit|validators)"'`
