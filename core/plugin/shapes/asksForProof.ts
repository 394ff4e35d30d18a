/** Which requests ask for a chain's proof: a recording has none of them, and a probe counts them. */

const asks =
  /"method":"(state_getReadProof|eth_getProof|eth_getCode|eth_createAccessList|abci_query|commit|validators)"/

/** Whether the body of a request asks for one, or for what a proof is read with. */
export const asksForProof = (body: string | undefined): boolean => body !== undefined && asks.test(body)
