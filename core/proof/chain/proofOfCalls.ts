/** The document of a proof of calls, made of what a node told. */
import { toHex } from "../bytes.ts"
import { canonical } from "../canonical.ts"
import { type ChainProof, chainProofTag } from "./document.ts"
import { provedCalls, type ToldState, type View } from "./evmRead.ts"
import { bare } from "./hexes.ts"

/**
 * The proof of what these views give, and of which code the contracts have: another hash on another day is another contract. Throws
 * `Malformed` where the node did not prove it.
 */
export const proofOfCalls = (
  witness: ToldState,
  views: ReadonlyArray<View>,
  simulated: boolean
): ChainProof => {
  const state = provedCalls(witness)
  const accounts = [...new Set(views.map(({ to }) => bare(to)))]
  const calls = new Map(views.map(({ data, to }) => [`${bare(to)} ${bare(data)}`, { data, to }]))
  const claims = [
    ...[...calls.values()].map((view) => ({
      kind: "evm-call",
      account: bare(view.to),
      data: bare(view.data),
      value: state.call(view)
    })),
    ...accounts.map((account) => ({ kind: "evm-code-hash", account, value: state.codeHash(`0x${account}`) }))
  ]
  return {
    v: simulated ? `${chainProofTag}-demo` : chainProofTag,
    chain: witness.chain,
    block: { number: state.number, hash: state.hash, header: toHex(state.header) },
    ...state.used(),
    claims: claims.toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1)),
    ...(simulated ? { simulated: true } : {})
  }
}
