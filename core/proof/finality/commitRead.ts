/** A commit as a node of CometBFT tells it, as evidence. */
import { equalBytes, fromBase64, fromHex, toHex } from "../bytes.ts"
import { encodeTime, encodeValidator, type ToldValidator } from "../chain/cosmosHeader.ts"
import { demand } from "../check.ts"
import { addressOf, type CommitEvidence, commitKind } from "./commit.ts"

/** A commit as `commit` of a node tells it: bytes in hex, signatures in base64. */
export interface ToldCommit {
  readonly height: string
  readonly round: number
  readonly block_id: {
    readonly hash: string
    readonly parts: { readonly total: number; readonly hash: string }
  }
  readonly signatures: ReadonlyArray<{
    /** 1: absent, 2: for the block, 3: for none. */
    readonly block_id_flag: number
    readonly validator_address: string
    readonly timestamp: string
    readonly signature: string | null
  }>
}

const ed25519 = "tendermint/PubKeyEd25519"

/** The evidence of a commit with all validators of its height. Throws `Malformed` where the two do not fit; that it holds `demandCommit` says. */
export const commitEvidence = (
  { block_id, round, signatures }: ToldCommit,
  validators: ReadonlyArray<ToldValidator>
): CommitEvidence => {
  demand(
    signatures.length === validators.length,
    "the commit is of another set of validators",
    "contradiction"
  )
  return {
    kind: commitKind,
    round,
    parts: { total: block_id.parts.total, hash: block_id.parts.hash.toLowerCase() },
    validators: validators.map((one) => toHex(encodeValidator(one))),
    votes: validators.flatMap(({ pub_key }, validator) => {
      const vote = signatures[validator]
      if (vote?.block_id_flag !== 2 || pub_key.type !== ed25519) return []
      demand(
        equalBytes(addressOf(fromBase64(pub_key.value)), fromHex(vote.validator_address.toLowerCase())),
        "a signature is of another validator",
        "contradiction"
      )
      return [
        {
          validator,
          time: toHex(encodeTime(vote.timestamp)),
          signature: toHex(fromBase64(vote.signature ?? "", 64))
        }
      ]
    })
  }
}
