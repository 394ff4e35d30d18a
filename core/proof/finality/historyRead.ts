/** What a node tells of a final block, and of the hash that its state keeps of an earlier one (EIP-2935), as evidence. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { Malformed, toHex } from "../bytes.ts"
import { gather } from "../chain/blobs.ts"
import { bounds } from "../chain/bounds.ts"
import { encodeHeader, readHeader, type ToldBlock } from "../chain/evmHeader.ts"
import { accountAt, wordAt } from "../chain/evmState.ts"
import { bare, bytesOf, exactly } from "../chain/hexes.ts"
import { type FinalBlock, historyAccount, historySlot } from "./syncCommittee.ts"

/** What is asked of `eth_getProof` at the final block, for the hash of an earlier one: hex after `0x`. */
export const historyQuestion = (earlier: number) => ({
  account: `0x${historyAccount}`,
  slot: `0x${historySlot(earlier)}`
})

/** The final block, with the nodes that lead to the hash of the earlier one. Throws `Malformed` where they do not. */
export const finalBlockOf = (
  block: ToldBlock,
  nodes: ReadonlyArray<string>,
  earlier: { readonly number: number; readonly hash: string }
): FinalBlock => {
  const header = encodeHeader(block)
  const { number, stateRoot } = readHeader(header)
  const all = gather(
    [...new Set(nodes)].map((text) => bytesOf("a node", bare(text), bounds.node)),
    keccak_256
  )
  const { storageRoot } = accountAt(stateRoot, exactly("an account", historyAccount, 20), all)
  const word = wordAt(storageRoot, exactly("a slot", historySlot(earlier.number), 32), all)
  if (word !== BigInt(`0x${earlier.hash}`))
    throw new Malformed(`block ${number} does not keep the hash of block ${earlier.number}`, "contradiction")
  return { number: Number(number), header: toHex(header), nodes: all.used() }
}
