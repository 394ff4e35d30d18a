/** Validators of CometBFT who really sign: keys by name, sets, headers over them and commits as a node tells them. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto"
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, fromHex, toBase64, toHex, utf8 } from "../../../core/proof/bytes.ts"
import {
  encodeTime,
  encodeValidator,
  type ToldCometHeader,
  type ToldValidator
} from "../../../core/proof/chain/cosmosHeader.ts"
import { readTold } from "../../../core/proof/chain/cosmosRead.ts"
import { signedBytes } from "../../../core/proof/finality/commit.ts"
import { commitEvidence, type ToldCommit } from "../../../core/proof/finality/commitRead.ts"
import { type ChainFinality, finalityTag } from "../../../core/proof/finality/document.ts"
import { root, treeOf } from "../../../core/proof/merkle.ts"
import type { CosmosChain } from "../../../runtime/tape/cosmosChain.ts"

export interface Signer {
  readonly secret: KeyObject
  /** 32 bytes. */
  readonly key: Uint8Array
  readonly power: number
}

const upper = (bytes: Uint8Array): string => toHex(bytes).toUpperCase()

/** A validator whose key is made of his name. */
export const signer = (name: string, power: number): Signer => {
  const seed = sha256(utf8(name))
  const secret = createPrivateKey({
    key: Buffer.from(concat(fromHex("302e020100300506032b657004220420"), seed)),
    format: "der",
    type: "pkcs8"
  })
  const spki = createPublicKey(secret).export({ format: "der", type: "spki" })
  return { secret, key: Uint8Array.from(spki.subarray(-32)), power }
}

export const toldValidators = (set: ReadonlyArray<Signer>): ReadonlyArray<ToldValidator> =>
  set.map(({ key, power }) => ({
    pub_key: { type: "tendermint/PubKeyEd25519", value: toBase64(key) },
    voting_power: String(power)
  }))

/** The hash of a set, as a reader names it. */
export const setHash = (set: ReadonlyArray<Signer>): string =>
  toHex(root(treeOf(toldValidators(set).map(encodeValidator))))

/** A header whose block a set signs. */
export const headerOf = (
  chain: string,
  height: number,
  time: string,
  set: ReadonlyArray<Signer>,
  more: Partial<ToldCometHeader> = {}
): ToldCometHeader => {
  const sha = (text: string) => upper(sha256(utf8(`${chain} ${height} ${text}`)))
  return {
    version: { block: "11" },
    chain_id: chain,
    height: String(height),
    time,
    last_block_id: { hash: sha("last"), parts: { total: 1, hash: sha("parts") } },
    last_commit_hash: sha("commit"),
    data_hash: sha("data"),
    validators_hash: setHash(set).toUpperCase(),
    next_validators_hash: setHash(set).toUpperCase(),
    consensus_hash: sha("consensus"),
    app_hash: sha("app"),
    last_results_hash: sha("results"),
    evidence_hash: sha("evidence"),
    proposer_address: upper(sha256(set[0]?.key ?? new Uint8Array()).subarray(0, 20)),
    ...more
  }
}

/** What a validator does at a height. */
export type Vote = "block" | "nil" | "absent"

interface Voting {
  readonly round?: number
  readonly votes?: (place: number) => Vote
  /** Who signs in the place of the set. */
  readonly hands?: ReadonlyArray<Signer>
  /** The chain and the height that are signed, where they are others than the header's. */
  readonly chain?: string
  readonly height?: number
}

/** The commit of a header's block, each vote signed. */
export const commitOf = (
  header: ToldCometHeader,
  set: ReadonlyArray<Signer>,
  {
    chain = header.chain_id,
    hands = set,
    height = Number(header.height),
    round = 0,
    votes = () => "block"
  }: Voting = {}
): ToldCommit => {
  const { hash } = readTold(header).header
  const parts = { total: 1, hash: toHex(sha256(hash)) }
  return {
    height: header.height,
    round,
    block_id: { hash: upper(hash), parts: { total: 1, hash: parts.hash.toUpperCase() } },
    signatures: set.map(({ key }, place) => {
      const vote = votes(place)
      const timestamp = new Date(Date.parse(header.time) + place + 1).toISOString()
      const address = upper(sha256(key).subarray(0, 20))
      if (vote !== "block")
        return {
          block_id_flag: vote === "absent" ? 1 : 3,
          validator_address: address,
          timestamp,
          signature: null
        }
      const bytes = signedBytes(
        { chainId: chain, number: BigInt(height), hash },
        { parts, round },
        encodeTime(timestamp)
      )
      const hand = hands[place]
      return {
        block_id_flag: 2,
        validator_address: address,
        timestamp,
        signature: hand === undefined ? null : sign(null, bytes, hand.secret).toString("base64")
      }
    })
  }
}

/** The document of a header's block. */
export const finalityOf = (
  header: ToldCometHeader,
  commit: ToldCommit,
  validators: ReadonlyArray<ToldValidator>,
  day = header.time.slice(0, 10)
): ChainFinality => {
  const { bytes, chain, header: read, number } = readTold(header)
  return {
    v: finalityTag,
    day,
    chain,
    block: { number, hash: toHex(read.hash), header: toHex(bytes) },
    evidence: commitEvidence(commit, validators)
  }
}

/** The document of a block that a set signs. */
export const signedBlock = (
  chain: string,
  height: number,
  time: string,
  set: ReadonlyArray<Signer>,
  voting: Voting = {}
): ChainFinality => {
  const header = headerOf(chain, height, time, set)
  return finalityOf(header, commitOf(header, set, voting), toldValidators(set))
}

/** A made-up chain with validators who sign its block. */
export const signing = (chain: CosmosChain, set: ReadonlyArray<Signer>, voting: Voting = {}) => {
  const all = toldValidators(set)
  const hash = setHash(set).toUpperCase()
  const header = { ...chain.header, validators_hash: hash, next_validators_hash: hash }
  return {
    ...chain,
    header,
    commit: { ...chain.commit, signed_header: { header, commit: commitOf(header, set, voting) } },
    validators: (page: number, perPage: number) => {
      const validators = all.slice((page - 1) * perPage, page * perPage)
      return {
        block_height: header.height,
        validators: [...validators],
        count: String(validators.length),
        total: String(all.length)
      }
    }
  }
}
