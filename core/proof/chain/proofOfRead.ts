/** The document of a proof, made of what a node told. */
import { toHex } from "../bytes.ts"
import { canonical } from "../canonical.ts"
import { type ChainProof, chainProofTag } from "./document.ts"
import { bare } from "./hexes.ts"
import { provedState, type ReadProof } from "./readProof.ts"

/** What a node told of a block, of the chain that begins with this block. */
export interface ReadOfChain extends ReadProof {
  /** The hash of the chain's first block, hex after `0x`. */
  readonly genesis: string
}

/** By CAIP-2. */
const chainOf = (genesis: string): string => `polkadot:${bare(genesis).slice(0, 32)}`

/** The block that was read, as a proof names it. Throws `Malformed` where the header is not the block's. */
export const blockRead = (read: ReadOfChain) => ({
  chain: chainOf(read.genesis),
  number: provedState({ ...read, nodes: [] }).number,
  hash: bare(read.hash)
})

/** The proof of what is under these keys, hex after `0x`. Throws `Malformed` where the node did not prove it. */
export const proofOfRead = (
  read: ReadOfChain,
  keys: ReadonlyArray<string>,
  simulated: boolean
): ChainProof => {
  const state = provedState(read)
  const claims = [...new Set(keys.map(bare))].map((key) => {
    const value = state.valueAt(`0x${key}`)
    return { kind: "substrate-storage", key, value: value === undefined ? null : toHex(value) }
  })
  return {
    v: simulated ? `${chainProofTag}-demo` : chainProofTag,
    chain: chainOf(read.genesis),
    block: { number: state.number, hash: bare(read.hash), header: toHex(state.header) },
    nodes: state.used(),
    codes: [],
    claims: claims.toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1)),
    ...(simulated ? { simulated: true } : {})
  }
}
