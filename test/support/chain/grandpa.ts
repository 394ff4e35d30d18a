/** Authorities of GRANDPA who really vote, and blocks of a Substrate chain for which they do. */
import { sign } from "node:crypto"
import { concat, toHex, utf8 } from "../../../core/proof/bytes.ts"
import { compact, little } from "../../../core/proof/chain/scaleWriter.ts"
import { blake2b256 } from "../../../core/proof/chain/substrateTrie.ts"
import { type ChainFinality, finalityTag } from "../../../core/proof/finality/document.ts"
import { type JustificationEvidence, votedBytes } from "../../../core/proof/finality/justification.ts"
import type { Signer } from "./cometbft.ts"

export interface MadeBlock {
  readonly number: number
  readonly hash: Uint8Array
  readonly header: Uint8Array
}

/** A block after another, with entries of each kind in its digest. */
export const blockAfter = (parent: Uint8Array, number: number, name = ""): MadeBlock => {
  const text = utf8(`block ${number} ${name}`)
  const inside = concat(compact(BigInt(text.length)), text)
  const header = concat(
    parent,
    compact(BigInt(number)),
    blake2b256(utf8("state")),
    blake2b256(utf8("extrinsics")),
    compact(4n),
    concat(Uint8Array.of(6), utf8("BABE"), inside),
    concat(Uint8Array.of(0), inside),
    Uint8Array.of(8),
    concat(Uint8Array.of(5), utf8("BABE"), inside)
  )
  return { number, header, hash: blake2b256(header) }
}

/** So many blocks one after the other, from a number on. */
export const blocksFrom = (number: number, count: number): ReadonlyArray<MadeBlock> => {
  const blocks: Array<MadeBlock> = []
  for (let at = 0; at < count; at++)
    blocks.push(blockAfter(blocks[at - 1]?.hash ?? blake2b256(utf8("parent")), number + at))
  return blocks
}

export interface Voting {
  readonly round?: number
  readonly setId?: number
  /** The set that is signed, where it is another. */
  readonly signedSet?: number
  readonly signedRound?: number
  /** The block for which an authority votes; undefined where he does not. */
  readonly votes?: (place: number) => MadeBlock | undefined
  /** Headers of descendants that are voted for. */
  readonly ancestries?: ReadonlyArray<MadeBlock>
  /** Who signs in the place of the authorities. */
  readonly hands?: ReadonlyArray<Signer>
  /** The same authority votes so many times. */
  readonly times?: number
}

/** The evidence that authorities voted for a block, the last of these; the first is the document's. */
export const justified = (
  blocks: ReadonlyArray<MadeBlock>,
  authorities: ReadonlyArray<Signer>,
  {
    ancestries = [],
    hands = authorities,
    round = 9,
    setId = 4,
    signedRound = round,
    signedSet = setId,
    times = 1,
    votes = () => blocks.at(-1)
  }: Voting = {}
): ChainFinality => {
  const [first] = blocks
  const last = blocks.at(-1)
  if (first === undefined || last === undefined) throw new Error("no block")
  const all = authorities.flatMap(({ key }, place) => {
    const block = votes(place)
    const hand = hands[place]
    if (block === undefined || hand === undefined) return []
    const bytes = votedBytes(block.hash, BigInt(block.number), BigInt(signedRound), signedSet)
    const vote = concat(block.hash, little(BigInt(block.number), 4), sign(null, bytes, hand.secret), key)
    return Array.from({ length: times }, () => vote)
  })
  const evidence: JustificationEvidence = {
    kind: "grandpa-justification",
    set_id: setId,
    authorities: authorities.map(({ key }) => toHex(key)),
    justification: toHex(
      concat(
        little(BigInt(round), 8),
        last.hash,
        little(BigInt(last.number), 4),
        compact(BigInt(all.length)),
        ...all,
        compact(BigInt(ancestries.length)),
        ...ancestries.map(({ header }) => header)
      )
    ),
    headers: blocks.slice(1).map(({ header }) => toHex(header))
  }
  return {
    v: finalityTag,
    day: "2026-09-05",
    chain: "polkadot:91b171bb158e2d3848fa23a9f1c25182",
    block: { number: first.number, hash: toHex(first.hash), header: toHex(first.header) },
    evidence
  }
}
