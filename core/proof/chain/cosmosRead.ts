/** What a node of a Cosmos chain tells of a state with its proof: the header over it, a value of a store (`abci_query`), the validators. */
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, equalBytes, fromBase64, fromHex, Malformed, toHex, utf8 } from "../bytes.ts"
import { canonical } from "../canonical.ts"
import { demand } from "../check.ts"
import { root, treeOf } from "../merkle.ts"
import { bounds } from "./bounds.ts"
import { cosmos, type StoreClaim, type ValidatorsClaim } from "./cosmos.ts"
import {
  encodeCometHeader,
  encodeValidator,
  type ToldCometHeader,
  type ToldValidator
} from "./cosmosHeader.ts"
import { type ChainProof, type ClaimDocument, chainProofTag } from "./document.ts"
import type { Header } from "./family.ts"
import { readCommitment, valueIn } from "./ics23.ts"

/** A header that a node told, read. */
export interface CometHeader {
  readonly bytes: Uint8Array
  readonly header: Header
  readonly number: number
  /** CAIP-2. */
  readonly chain: string
  /** Epoch milliseconds. */
  readonly time: number
}

/** Reads a header. Throws `Malformed`. */
export const readTold = (reported: ToldCometHeader): CometHeader => {
  const bytes = encodeCometHeader(reported)
  const header = cosmos.readHeader(bytes)
  return {
    bytes,
    header,
    number: Number(header.number),
    chain: header.chain ?? "",
    time: Date.parse(reported.time)
  }
}

/** The answer to an `abci_query` with a proof: bytes in base64. */
interface ToldStore {
  readonly key: string | null
  readonly value: string | null
  readonly proofOps?: { readonly ops: ReadonlyArray<{ readonly type: string; readonly data: string }> } | null
}

/** The two proofs of an answer, of the key in its store and of the store in the multistore. Throws `Malformed`. */
const proofsOf = ({ proofOps }: ToldStore): readonly [inStore: Uint8Array, inMultistore: Uint8Array] => {
  const [inStore, inMultistore, ...more] = proofOps?.ops ?? []
  if (inStore === undefined || inMultistore === undefined || more.length > 0)
    throw new Malformed("the answer does not have two proofs", "missing")
  demand(inStore.type === "ics23:iavl" && inMultistore.type === "ics23:simple", "a proof is of another kind")
  return [fromBase64(inStore.data), fromBase64(inMultistore.data)]
}

/** What is under a key of a module's store, as a proof has it. Throws `Malformed` where the answer does not prove it. */
export const storeClaim = (
  { header }: CometHeader,
  store: string,
  key: Uint8Array,
  reported: ToldStore
): StoreClaim => {
  const proofs = proofsOf(reported)
  demand(
    proofs.every(({ length }) => length <= bounds.node),
    "a proof is too long"
  )
  const [inStore, inMultistore] = proofs
  const top = valueIn("multistore", header.stateRoot, utf8(store), readCommitment(inMultistore))
  if (top === undefined) throw new Malformed(`the chain has no store ${store}`, "contradiction")
  const value = valueIn("iavl", top, key, readCommitment(inStore))
  return {
    kind: "cosmos-store",
    store,
    key: toHex(key),
    proof: proofs.map(toHex),
    value: value === undefined ? null : toHex(value)
  }
}

/** The value that the node itself says in its answer; undefined where it says that there is none. */
export const toldValue = ({ value }: ToldStore): Uint8Array | undefined =>
  value === null || value === "" ? undefined : fromBase64(value)

/** The validators of the header. Throws `Malformed` where it has others. */
export const validatorsClaim = (
  { header }: CometHeader,
  reported: ReadonlyArray<ToldValidator>
): ValidatorsClaim => {
  const validators = reported.map(encodeValidator)
  demand(
    header.validatorsHash !== undefined && equalBytes(root(treeOf(validators)), header.validatorsHash),
    "they are not the validators of the header",
    "hash"
  )
  return { kind: "cosmos-validators", validators: validators.map(toHex), value: String(validators.length) }
}

/** The proof of these claims under a header. */
export const cosmosProof = (
  { bytes, chain, header, number }: CometHeader,
  claims: ReadonlyArray<ClaimDocument>,
  simulated: boolean
): ChainProof => ({
  v: simulated ? `${chainProofTag}-demo` : chainProofTag,
  chain,
  block: { number, hash: toHex(header.hash), header: toHex(bytes) },
  nodes: [],
  codes: [],
  claims: claims.toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1)),
  ...(simulated ? { simulated: true } : {})
})

/** The account of a module, whose name alone makes its address. */
export const moduleAccount = (module: string): Uint8Array => sha256(utf8(module)).subarray(0, 20)

/** The key of the bank's store under which an account has its balance of one denomination. */
export const balanceKey = (account: Uint8Array, denom: string): Uint8Array =>
  concat(fromHex("02"), Uint8Array.of(account.length), account, utf8(denom))
