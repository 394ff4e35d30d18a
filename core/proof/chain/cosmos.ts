/** Chains of the Cosmos SDK on CometBFT: what `abci_query` proves under the app hash of a header, and the validators that it commits to. */
import { sha256 } from "@noble/hashes/sha2.js"
import { equalBytes, fromUtf8, Malformed, toHex, utf8 } from "../bytes.ts"
import { demand } from "../check.ts"
import { root, treeOf } from "../merkle.ts"
import * as s from "../shape.ts"
import { bounds } from "./bounds.ts"
import { claimKind, type Family, type Header } from "./family.ts"
import { bytesOf } from "./hexes.ts"
import { readCommitment, valueIn } from "./ics23.ts"
import { bytesAt, fieldsOf, numberAt, prefixedAt } from "./proto.ts"

/** A value in the store of a module, or that there is none under its key. */
export interface StoreClaim {
  readonly kind: "cosmos-store"
  /** The module's name in the multistore. */
  readonly store: string
  /** Bytes, hex. */
  readonly key: string
  /** Two commitment proofs, hex: of the key in its store, and of the store in the multistore. */
  readonly proof: ReadonlyArray<string>
  /** Bytes, hex. */
  readonly value: string | null
}

/** How many validators may sign the block, in decimal digits. */
export interface ValidatorsClaim {
  readonly kind: "cosmos-validators"
  /** Each as the header hashes it (`SimpleValidator`), hex, in its order. */
  readonly validators: ReadonlyArray<string>
  readonly value: string
}

const store = claimKind<StoreClaim>(
  "cosmos-store",
  {
    kind: s.oneOf("cosmos-store"),
    store: s.name,
    key: s.text,
    proof: s.listOf(s.text),
    value: s.textOrNull
  },
  ({ key, proof, store: name }, { header }) => {
    const [inStore, inMultistore, ...more] = proof
    if (inStore === undefined || inMultistore === undefined || more.length > 0)
      throw new Malformed("a claim of a store must have two proofs")
    const commitment = (text: string) => readCommitment(bytesOf("a proof", text, bounds.node))
    const top = valueIn("multistore", header.stateRoot, utf8(name), commitment(inMultistore))
    if (top === undefined) throw new Malformed(`the chain has no store ${name}`, "contradiction")
    const value = valueIn("iavl", top, bytesOf("a key", key, bounds.key), commitment(inStore))
    return value === undefined ? null : toHex(value)
  }
)

/** More than any chain has. */
const mostValidators = 10_000

/** A public key of whatever kind, and the power. Throws `Malformed`. */
const demandValidator = (bytes: Uint8Array): void => {
  const fields = fieldsOf(bytes, [1, 2])
  demand(bytesAt(fields, 1) !== undefined && numberAt(fields, 2) > 0n, "a validator has a key and a power")
}

const validators = claimKind<ValidatorsClaim>(
  "cosmos-validators",
  { kind: s.oneOf("cosmos-validators"), validators: s.listOf(s.text), value: s.text },
  (claim, { header }) => {
    demand(claim.validators.length <= mostValidators, `a chain has at most ${mostValidators} validators`)
    const leaves = claim.validators.map((text) => bytesOf("a validator", text, bounds.key))
    leaves.forEach(demandValidator)
    demand(
      header.validatorsHash !== undefined && equalBytes(root(treeOf(leaves)), header.validatorsHash),
      "they are not the validators of the header",
      "hash"
    )
    return String(leaves.length)
  }
)

/** Members of a header, each as it is hashed. */
const members = 14

const membersOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const list: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; ) {
    const [member, end] = prefixedAt(bytes, at)
    list.push(member)
    at = end
  }
  demand(list.length === members, `a header must have ${members} members`)
  return list
}

/** A member that is bytes, or a text, is a message with them as its first field. */
const only = (member: Uint8Array | undefined): Uint8Array =>
  bytesAt(fieldsOf(member ?? new Uint8Array(), [1]), 1) ?? new Uint8Array()

const hashIn = (member: Uint8Array | undefined): Uint8Array => {
  const bytes = only(member)
  demand(bytes.length === 32, "a hash of the header must have 32 bytes")
  return bytes
}

/** Whole seconds, and nanoseconds beside them. */
const timeIn = (member: Uint8Array | undefined): bigint => {
  const fields = fieldsOf(member ?? new Uint8Array(), [1, 2])
  const nanoseconds = numberAt(fields, 2)
  demand(nanoseconds < 1_000_000_000n, "the header has no time")
  return numberAt(fields, 1) * 1000n + nanoseconds / 1_000_000n
}

const readHeader = (bytes: Uint8Array): Header => {
  const list = membersOf(bytes)
  return {
    hash: root(treeOf([...list])),
    chain: `cosmos:${fromUtf8(only(list[1]))}`,
    number: numberAt(fieldsOf(list[2] ?? new Uint8Array(), [1]), 1),
    time: timeIn(list[3]),
    validatorsHash: hashIn(list[7]),
    stateRoot: hashIn(list[10])
  }
}

export const cosmos: Family = {
  namespace: "cosmos",
  chain: /^cosmos:[-_a-zA-Z0-9]{1,32}$/,
  hash: sha256,
  readHeader,
  claims: [store, validators]
}
