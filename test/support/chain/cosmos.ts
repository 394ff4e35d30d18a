/** Proofs of Cosmos chains as tests make them: of any members, claims and stores. */
import { concat, toHex } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { encodeValidator, type ToldValidator } from "../../../core/proof/chain/cosmosHeader.ts"
import { type ChainProof, chainProofTag } from "../../../core/proof/chain/document.ts"
import { prefixed } from "../../../core/proof/chain/protoWriter.ts"
import { root, treeOf } from "../../../core/proof/merkle.ts"

export { headerMembers as membersOf } from "../../../core/proof/chain/cosmosHeader.ts"
export { message, number, prefixed, varint } from "../../../core/proof/chain/protoWriter.ts"
export { existence, iavlTree, innerOp, leafOp, multistore } from "../../../runtime/tape/cosmosStore.ts"

/** A validator as the header hashes it, hex. */
export const validatorOf = (one: ToldValidator): string => toHex(encodeValidator(one))

interface ClaimOf {
  readonly kind: string
  readonly [member: string]: unknown
}

export const cosmosProof = (
  members: ReadonlyArray<Uint8Array>,
  chain: string,
  height: number,
  claims: ReadonlyArray<ClaimOf>
): ChainProof => ({
  v: chainProofTag,
  chain: `cosmos:${chain}`,
  block: {
    number: height,
    hash: toHex(root(treeOf([...members]))),
    header: toHex(concat(...members.map(prefixed)))
  },
  nodes: [],
  codes: [],
  claims: claims.toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1))
})
