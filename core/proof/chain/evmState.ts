/** Accounts and storage of an EVM chain under a state root, as `eth_getProof` proves them (EIP-1186). */
import { fromHex } from "../bytes.ts"
import { demand } from "../check.ts"
import type { Blobs } from "./blobs.ts"
import { emptyRoot, valueUnder } from "./evmTrie.ts"
import { itemsOf, readRlp, rlpBytes, rlpUnsigned } from "./rlp.ts"

export interface Account {
  readonly nonce: bigint
  readonly balance: bigint
  readonly storageRoot: Uint8Array
  readonly codeHash: Uint8Array
}

/** Keccak-256 of nothing. */
export const emptyCode = fromHex("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470")

const nobody: Account = { nonce: 0n, balance: 0n, storageRoot: emptyRoot, codeHash: emptyCode }

/** What an account has. One that is proved not to exist has nothing. Throws `Malformed`. */
export const accountAt = (stateRoot: Uint8Array, address: Uint8Array, nodes: Pick<Blobs, "get">): Account => {
  const value = valueUnder(stateRoot, address, nodes)
  if (value === undefined) return nobody
  const [nonce, balance, storageRoot, codeHash] = itemsOf(readRlp(value), 4)
  return {
    nonce: rlpUnsigned(nonce, 8),
    balance: rlpUnsigned(balance),
    storageRoot: rlpBytes(storageRoot, 32),
    codeHash: rlpBytes(codeHash, 32)
  }
}

/** The word in a slot of 32 bytes. One that is proved to have no entry is 0: a chain has no entries of zeros. Throws `Malformed`. */
export const wordAt = (storageRoot: Uint8Array, slot: Uint8Array, nodes: Pick<Blobs, "get">): bigint => {
  const value = valueUnder(storageRoot, slot, nodes)
  if (value === undefined) return 0n
  const word = rlpUnsigned(readRlp(value))
  demand(word > 0n, "a slot has an entry of zero")
  return word
}
