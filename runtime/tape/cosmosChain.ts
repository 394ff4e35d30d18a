/** A Cosmos chain that is made up: what is bonded on it and who signs its blocks, in stores and a header that prove both. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bondedKey } from "../../core/plugin/shapes/provedCosmos.ts"
import { compareBytes, toBase64, toHex, utf8 } from "../../core/proof/bytes.ts"
import {
  encodeValidator,
  type ToldCometHeader,
  type ToldValidator
} from "../../core/proof/chain/cosmosHeader.ts"
import { balanceKey } from "../../core/proof/chain/cosmosRead.ts"
import { root, treeOf } from "../../core/proof/merkle.ts"
import { iavlTree, multistore } from "./cosmosStore.ts"
import type { Entry } from "./substrateTrie.ts"

/** What the chain has. */
export interface Facts {
  readonly id: string
  /** The height of the state; the header is that of the next. */
  readonly height: number
  /** When the header was made. */
  readonly time: string
  readonly validators: number
  /** In the smallest units; without it the pool has no entry. */
  readonly stake?: { readonly denom: string; readonly amount: string }
}

const sha = (text: string): Uint8Array => sha256(utf8(text))

const upper = (bytes: Uint8Array): string => toHex(bytes).toUpperCase()

/** Accounts among which the pool stands, so that the proof is not of the whole store. */
const others = (denom: string): ReadonlyArray<Entry> =>
  Array.from({ length: 200 }, (_, index) => [
    balanceKey(sha(`account ${index}`).subarray(0, 20), denom),
    utf8(String(1_000_003 * (index + 1)))
  ])

const storeNames = ["acc", "bank", "distribution", "gov", "mint", "staking", "upgrade"] as const

const validatorsOf = ({ id, validators }: Facts): ReadonlyArray<ToldValidator> =>
  Array.from({ length: validators }, (_, index) => ({
    pub_key: { type: "tendermint/PubKeyEd25519", value: toBase64(sha(`${id} validator ${index}`)) },
    voting_power: String(10_000_000 - index * 1000)
  }))

/** The answers of a node of the chain, by what is asked. */
export const cosmosChain = (facts: Facts) => {
  const { height, id, stake, time } = facts
  const denom = stake?.denom ?? "unone"
  const key = bondedKey(denom)
  const entries = [
    ...others(denom),
    ...(stake === undefined ? [] : [[key, utf8(stake.amount)] as const])
  ].toSorted(([a], [b]) => compareBytes(a, b))
  const tree = iavlTree(entries)
  const at = entries.findIndex(([one]) => compareBytes(one, key) === 0)
  const after = entries.findIndex(([one]) => compareBytes(one, key) > 0)
  const next = after < 0 ? entries.length : after
  const inStore =
    at >= 0
      ? tree.exists(at)
      : tree.absent(key, next > 0 ? next - 1 : undefined, next < entries.length ? next : undefined)
  const stores = multistore(
    storeNames.map((name) => [name, name === "bank" ? tree.root : sha(`${id} ${name}`)] as const),
    storeNames.indexOf("bank")
  )
  const validators = validatorsOf(facts)
  const header: ToldCometHeader = {
    version: { block: "11" },
    chain_id: id,
    height: String(height + 1),
    time,
    last_block_id: {
      hash: upper(sha(`${id} ${height}`)),
      parts: { total: 1, hash: upper(sha(`${id} ${height} parts`)) }
    },
    last_commit_hash: upper(sha(`${id} commit`)),
    data_hash: upper(sha("")),
    validators_hash: upper(root(treeOf(validators.map(encodeValidator)))),
    next_validators_hash: upper(sha(`${id} next`)),
    consensus_hash: upper(sha(`${id} consensus`)),
    app_hash: upper(stores.root),
    last_results_hash: upper(sha("results")),
    evidence_hash: upper(sha("evidence")),
    proposer_address: upper(sha(`${id} validator 0`).subarray(0, 20))
  }
  return {
    header,
    query: {
      response: {
        code: 0,
        log: "",
        height: String(height),
        key: toBase64(key),
        value: stake === undefined ? null : toBase64(utf8(stake.amount)),
        proofOps: {
          ops: [
            { type: "ics23:iavl", key: toBase64(key), data: toBase64(inStore) },
            { type: "ics23:simple", key: toBase64(utf8("bank")), data: toBase64(stores.proof) }
          ]
        }
      }
    },
    commit: { signed_header: { header }, canonical: true },
    validators: (page: number, perPage: number) => ({
      block_height: String(height + 1),
      validators: validators.slice((page - 1) * perPage, page * perPage),
      count: String(Math.max(0, Math.min(perPage, validators.length - (page - 1) * perPage))),
      total: String(validators.length)
    })
  }
}

export type CosmosChain = ReturnType<typeof cosmosChain>
