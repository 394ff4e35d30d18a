/** Justifications of GRANDPA: that more than two thirds of a set of authorities voted for a block of a Substrate chain, or for descendants of it. */
import { concat, equalBytes, fromHex, Malformed, toHex } from "../bytes.ts"
import { headerOf } from "../chain/blockHeader.ts"
import { bounds } from "../chain/bounds.ts"
import { bytesOf, exactly } from "../chain/hexes.ts"
import { ScaleReader } from "../chain/scale.ts"
import { compact, little } from "../chain/scaleWriter.ts"
import { substrate } from "../chain/substrate.ts"
import { blake2b256 } from "../chain/substrateTrie.ts"
import { demand } from "../check.ts"
import { verifyEd25519 } from "../ed25519.ts"
import * as s from "../shape.ts"
import type { ChainFinality } from "./document.ts"
import { type Rule, Untrusted } from "./rule.ts"

export interface JustificationEvidence {
  readonly kind: "grandpa-justification"
  readonly set_id: number
  /** The keys of the authorities, 32 bytes each, hex, in their order; each has a weight of 1. */
  readonly authorities: ReadonlyArray<string>
  /** As nodes give it (`GrandpaJustification`), hex. */
  readonly justification: string
  /** Headers from the child of the block to the one that the justification is of, hex; none if that is the block itself. */
  readonly headers: ReadonlyArray<string>
}

export const justificationKind = "grandpa-justification"

/** As many as Polkadot has; no chain that is read has more. */
const mostAuthorities = 600
/** More than two thirds of so many are enough, and whoever makes the evidence leaves out the others: so many signatures take 0.4 seconds. */
const mostVotes = 401
/** Blocks between a block and the next one with a justification. */
const mostHeaders = 2000
const longest = 512 * 1024

const shape: s.Shape<JustificationEvidence> = {
  kind: s.oneOf(justificationKind),
  set_id: s.count,
  authorities: s.listOf(s.hash),
  justification: s.text,
  headers: s.listOf(s.text)
}

/** The hash by which a reader names a set: of what `GrandpaApi_grandpa_authorities` gives, and of its id in 8 bytes. */
export const authoritiesHash = ({
  authorities,
  set_id
}: Pick<JustificationEvidence, "authorities" | "set_id">): string =>
  toHex(
    blake2b256(
      concat(
        compact(BigInt(authorities.length)),
        ...authorities.map((key) => concat(fromHex(key), little(1n, 8))),
        little(BigInt(set_id), 8)
      )
    )
  )

interface Vote {
  readonly target: Uint8Array
  readonly number: bigint
  readonly signature: Uint8Array
  readonly key: Uint8Array
}

/** What an authority signs: a precommit for a block in a round of a set. */
export const votedBytes = (target: Uint8Array, number: bigint, round: bigint, setId: number): Uint8Array =>
  concat(Uint8Array.of(1), target, little(number, 4), little(round, 8), little(BigInt(setId), 8))

/** Passes over an entry of a header's digest. */
const skipLog = (input: ScaleReader): void => {
  const kind = input.byte()
  if (kind === 4 || kind === 5 || kind === 6) input.take(4)
  else demand(kind === 0 || kind === 8, "an entry of a digest has an unknown kind")
  if (kind !== 8) input.bytes()
}

/** The hash of a header, and of its parent, both hex. */
interface Link {
  readonly hash: string
  readonly parent: string
}

const linkIn = (input: ScaleReader, bytes: Uint8Array): Link => {
  const before = input.left
  const parent = toHex(input.take(32))
  input.compact()
  input.take(64)
  for (let logs = input.compact(); logs > 0n; logs--) skipLog(input)
  const at = bytes.length - before
  return { parent, hash: toHex(blake2b256(bytes.subarray(at, at + before - input.left))) }
}

const countIn = (input: ScaleReader, most: number, what: string): number => {
  const count = input.compact()
  demand(count <= BigInt(most), `a justification must have at most ${most} ${what}`)
  return Number(count)
}

const voteIn = (input: ScaleReader): Vote => ({
  target: input.take(32),
  number: input.unsigned(4),
  signature: input.take(64),
  key: input.take(32)
})

const justificationIn = (bytes: Uint8Array) => {
  const input = new ScaleReader(bytes)
  const round = input.unsigned(8)
  const target = input.take(32)
  const number = input.unsigned(4)
  const votes: Array<Vote> = []
  for (let left = countIn(input, mostVotes, "votes"); left > 0; left--) votes.push(voteIn(input))
  const parents = new Map<string, string>()
  for (let left = countIn(input, mostHeaders, "headers"); left > 0; left--) {
    const { hash, parent } = linkIn(input, bytes)
    parents.set(hash, parent)
  }
  input.end()
  return { round, target, number, votes, parents }
}

/** A block, and those that descend from it by these parents. */
const branchOf = (block: string, parents: ReadonlyMap<string, string>): ReadonlySet<string> => {
  const children = Map.groupBy(parents.keys(), (hash) => parents.get(hash))
  const branch = new Set([block])
  // What is added while it goes on is gone through, too.
  for (const one of branch) for (const child of children.get(one) ?? []) branch.add(child)
  return branch
}

/** Throws `Malformed` unless the headers lead from the block, each to its child, to the one with this hash and number. */
const demandChild = (
  { block }: Pick<ChainFinality, "block">,
  headers: ReadonlyArray<string>,
  target: Uint8Array,
  number: bigint
): void => {
  demand(
    headers.length <= mostHeaders,
    `a justification must be at most ${mostHeaders} blocks after the block`
  )
  let at = { hash: fromHex(block.hash), number: BigInt(block.number) }
  for (const text of headers) {
    const bytes = bytesOf("a header", text, bounds.node)
    const { hash, number: next } = substrate.readHeader(bytes)
    demand(
      equalBytes(bytes.subarray(0, 32), at.hash) && next === at.number + 1n,
      "the headers do not lead from the block to its descendant",
      "hash"
    )
    at = { hash, number: next }
  }
  demand(
    equalBytes(at.hash, target) && at.number === number,
    "the justification is of another block",
    "contradiction"
  )
}

interface Justified {
  /** The hash of the set. */
  readonly set: string
  readonly voters: number
  readonly all: number
}

const demandSigned = (document: ChainFinality): Justified => {
  headerOf(substrate, document)
  const evidence = s.readShape<JustificationEvidence>("a justification", document.evidence, shape)
  const { authorities, headers, set_id } = evidence
  const all = new Set(authorities)
  demand(
    all.size === authorities.length && all.size > 0 && all.size <= mostAuthorities,
    `a set must have 1 to ${mostAuthorities} authorities, none twice`
  )
  const { number, parents, round, target, votes } = justificationIn(
    bytesOf("a justification", evidence.justification, longest)
  )
  demandChild(document, headers, target, number)
  const branch = branchOf(toHex(target), parents)
  const voters = new Set<string>()
  for (const vote of votes) {
    const key = toHex(vote.key)
    demand(all.has(key), "a vote is of no authority", "key")
    demand(
      verifyEd25519(
        vote.signature,
        votedBytes(vote.target, vote.number, round, set_id),
        exactly("a key", key, 32)
      ),
      "the signature of a vote does not fit",
      "signature"
    )
    if (branch.has(toHex(vote.target))) voters.add(key)
  }
  if (voters.size * 3 <= all.size * 2)
    throw new Malformed(
      `${voters.size} of ${all.size} authorities voted, and more than two thirds must`,
      "missing"
    )
  return { set: authoritiesHash(evidence), voters: voters.size, all: all.size }
}

export const justifications: Rule = {
  kind: justificationKind,
  namespace: "polkadot",
  by: "GRANDPA",
  demandSigned,
  holds: (target, trusted) => {
    const { all, set, voters } = demandSigned(target)
    const says = `${voters} of ${all} authorities of the set with the hash ${set} voted for block ${target.block.number}, or for a descendant of it`
    if (!trusted.includes(set))
      throw new Untrusted(
        `${says}; ${trusted.length === 0 ? `nobody but this document says that they are the authorities of ${target.chain}: if you know them from elsewhere, name them by that hash` : "they are not those whom you trust"}`
      )
    return `${says}; you trust them`
  }
}
