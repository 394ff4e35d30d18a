/** Commits of CometBFT: the validators of a header, and who of them signed its block. */
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, equalBytes, fromHex, Malformed, toHex, utf8 } from "../bytes.ts"
import { headerOf } from "../chain/blockHeader.ts"
import { bounds } from "../chain/bounds.ts"
import { cosmos } from "../chain/cosmos.ts"
import type { Header } from "../chain/family.ts"
import { bytesOf, exactly } from "../chain/hexes.ts"
import { bytesAt, fieldsOf, numberAt } from "../chain/proto.ts"
import { bytes, fixed64, message, number, prefixed } from "../chain/protoWriter.ts"
import { demand } from "../check.ts"
import { verifyEd25519 } from "../ed25519.ts"
import { root, treeOf } from "../merkle.ts"
import * as s from "../shape.ts"
import type { ChainFinality } from "./document.ts"

/** One validator's vote for the block. */
interface CommitVote {
  /** His place in the set, from 0. */
  readonly validator: number
  /** When, as he signed it: a `Timestamp`, hex. */
  readonly time: string
  /** Ed25519, hex. */
  readonly signature: string
}

export interface CommitEvidence {
  readonly kind: "cometbft-commit"
  readonly round: number
  /** Of the block's parts, which the votes name beside its hash. */
  readonly parts: { readonly total: number; readonly hash: string }
  /** All validators, each as the header hashes it (`SimpleValidator`), hex, in its order. */
  readonly validators: ReadonlyArray<string>
  /** Votes for the block alone, in the order of the validators, none twice. */
  readonly votes: ReadonlyArray<CommitVote>
}

export const commitKind = "cometbft-commit"

/** More than any chain has; so many signatures take 0.4 seconds. */
const mostValidators = 300

const voteShape: s.Shape<CommitVote> = { validator: s.count, time: s.text, signature: s.text }

const shape: s.Shape<CommitEvidence> = {
  kind: s.oneOf(commitKind),
  round: s.count,
  parts: s.nested<CommitEvidence["parts"]>("the parts of a block", { total: s.count, hash: s.hash }),
  validators: s.listOf(s.text),
  votes: s.listOf(s.nested("a vote", voteShape))
}

interface Validator {
  /** Ed25519; undefined for a key of another kind, whose votes count for nothing. */
  readonly key: Uint8Array | undefined
  readonly power: bigint
}

const validatorIn = (text: string): Validator => {
  const fields = fieldsOf(bytesOf("a validator", text, bounds.key), [1, 2])
  const publicKey = bytesAt(fields, 1)
  const power = numberAt(fields, 2)
  demand(publicKey !== undefined && power > 0n, "a validator has a key and a power")
  const key = bytesAt(fieldsOf(publicKey, [1, 2, 3]), 1)
  demand(key === undefined || key.length === 32, "a key of Ed25519 has 32 bytes")
  return { key, power }
}

/** What a validator signs who votes for a block: a precommit (`CanonicalVote`). */
export const signedBytes = (
  block: { readonly chainId: string; readonly number: bigint; readonly hash: Uint8Array },
  { parts, round }: Pick<CommitEvidence, "parts" | "round">,
  time: Uint8Array
): Uint8Array => {
  const of = concat(number(1, BigInt(parts.total)), bytes(2, fromHex(parts.hash)))
  return prefixed(
    concat(
      number(1, 2n),
      fixed64(2, block.number),
      fixed64(3, BigInt(round)),
      message(4, concat(bytes(1, block.hash), message(2, of))),
      message(5, time),
      bytes(6, utf8(block.chainId))
    )
  )
}

/** Seconds and nanoseconds, as a vote has its time. */
const timeOf = (text: string): Uint8Array => {
  const time = bytesOf("a time", text, 16)
  const fields = fieldsOf(time, [1, 2])
  demand(numberAt(fields, 1) > 0n && numberAt(fields, 2) < 1_000_000_000n, "a vote has no time")
  return time
}

/** A block that its own validators signed. */
export interface SignedBlock {
  readonly header: Header
  /** CAIP-2. */
  readonly chain: string
  /** The hash of the validators, hex. */
  readonly set: string
  /** The power of each key, hex. */
  readonly powers: ReadonlyMap<string, bigint>
  /** The power of all. */
  readonly all: bigint
  /** The power that signed. */
  readonly signed: bigint
  /** Keys that signed, hex. */
  readonly signers: ReadonlyArray<string>
}

const demandSet = (header: Header, validators: ReadonlyArray<string>): ReadonlyArray<Validator> => {
  demand(validators.length <= mostValidators, `a commit must have at most ${mostValidators} validators`)
  const leaves = validators.map((text) => bytesOf("a validator", text, bounds.key))
  demand(
    header.validatorsHash !== undefined && equalBytes(root(treeOf(leaves)), header.validatorsHash),
    "they are not the validators of the header",
    "hash"
  )
  const set = validators.map(validatorIn)
  const keys = set.flatMap(({ key }) => (key === undefined ? [] : [toHex(key)]))
  demand(new Set(keys).size === keys.length, "a validator is there twice", "contradiction")
  return set
}

/**
 * Throws `Malformed` unless more than two thirds of the power of the header's validators signed the block. Whether these are the
 * validators of the chain it does not say.
 */
export const demandCommit = (document: Pick<ChainFinality, "block" | "chain" | "evidence">): SignedBlock => {
  const header = headerOf(cosmos, document)
  const evidence = s.readShape<CommitEvidence>("a commit", document.evidence, shape)
  const set = demandSet(header, evidence.validators)
  const block = { chainId: document.chain.slice("cosmos:".length), number: header.number, hash: header.hash }
  const signers: Array<string> = []
  let signed = 0n
  let last = -1
  for (const { signature, time, validator } of evidence.votes) {
    demand(validator > last, "the votes must be in the order of the validators, none twice")
    last = validator
    const voter = set[validator]
    if (voter?.key === undefined) throw new Malformed("a vote is of no validator with a key of Ed25519")
    demand(
      verifyEd25519(
        exactly("a signature", signature, 64),
        signedBytes(block, evidence, timeOf(time)),
        voter.key
      ),
      `the signature of validator ${validator} does not fit`,
      "signature"
    )
    signed += voter.power
    signers.push(toHex(voter.key))
  }
  const all = set.reduce((sum, { power }) => sum + power, 0n)
  demand(signed * 3n > all * 2n, `${signed} of ${all} power signed, and more than two thirds must`, "missing")
  return {
    header,
    chain: document.chain,
    set: toHex(header.validatorsHash ?? new Uint8Array()),
    powers: new Map(set.flatMap(({ key, power }) => (key === undefined ? [] : [[toHex(key), power]]))),
    all,
    signed,
    signers
  }
}

/** The address of a validator by his key. */
export const addressOf = (key: Uint8Array): Uint8Array => sha256(key).subarray(0, 20)
