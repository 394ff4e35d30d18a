/** EVM chains: what `eth_getProof` proves under the state root of a header. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { toHex } from "../bytes.ts"
import { demand } from "../check.ts"
import * as s from "../shape.ts"
import { accountAt, wordAt } from "./evmState.ts"
import { claimKind, type Family, type Header } from "./family.ts"
import { exactly } from "./hexes.ts"
import { isList, readRlp, rlpBytes, rlpUnsigned } from "./rlp.ts"

/** Of an account, an address of 20 bytes in hex, the balance in the chain's smallest unit, in decimal digits. */
interface BalanceClaim {
  readonly kind: "evm-balance"
  readonly account: string
  readonly value: string
}

/** The same, and the hash of its code, hex: that of an account without code is the hash of nothing. */
interface CodeClaim {
  readonly kind: "evm-code-hash"
  readonly account: string
  readonly value: string
}

/** The word in a slot of an account's storage, 32 bytes in hex, as a number in decimal digits. */
interface SlotClaim {
  readonly kind: "evm-slot"
  readonly account: string
  readonly slot: string
  readonly value: string
}

const balance = claimKind<BalanceClaim>(
  "evm-balance",
  { kind: s.oneOf("evm-balance"), account: s.text, value: s.text },
  ({ account }, { header, nodes }) =>
    accountAt(header.stateRoot, exactly("an account", account, 20), nodes).balance.toString()
)

const codeHash = claimKind<CodeClaim>(
  "evm-code-hash",
  { kind: s.oneOf("evm-code-hash"), account: s.text, value: s.text },
  ({ account }, { header, nodes }) =>
    toHex(accountAt(header.stateRoot, exactly("an account", account, 20), nodes).codeHash)
)

const slot = claimKind<SlotClaim>(
  "evm-slot",
  { kind: s.oneOf("evm-slot"), account: s.text, slot: s.text, value: s.text },
  (claim, { header, nodes }) => {
    const { storageRoot } = accountAt(header.stateRoot, exactly("an account", claim.account, 20), nodes)
    return wordAt(storageRoot, exactly("a slot", claim.slot, 32), nodes).toString()
  }
)

/** Bytes of the largest header. */
const largest = 4096

/** Fifteen members since the first block; forks appended up to eight. The hash commits to those that are not read. */
const readHeader = (bytes: Uint8Array): Header => {
  demand(bytes.length <= largest, "the header is too large")
  const list = readRlp(bytes)
  demand(
    isList(list) && list.items.length >= 15 && list.items.length <= 23,
    "a header must have 15 to 23 members"
  )
  const { items } = list
  rlpBytes(items[6], 256) // The bloom filter of the logs, which no node of a trie has.
  return {
    hash: keccak_256(bytes),
    number: rlpUnsigned(items[8], 8),
    stateRoot: rlpBytes(items[3], 32)
  }
}

export const evm: Family = {
  namespace: "eip155",
  chain: /^eip155:[1-9]\d{0,15}$/,
  hash: keccak_256,
  readHeader,
  claims: [balance, codeHash, slot]
}
