/** Headers of EVM chains. The hash commits to all members. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { equalBytes, fromHex, Malformed } from "../bytes.ts"
import { demand } from "../check.ts"
import type { Header } from "./family.ts"
import { bare, bytesOf } from "./hexes.ts"
import { isList, readRlp, rlpBytes, rlpUnsigned } from "./rlp.ts"
import { type Item, rlp, unsigned } from "./rlpWriter.ts"

/** Bytes of the largest header. */
const largest = 4096

/** Fifteen members since the first block; forks appended up to eight. The hash commits to those that are not read. Throws `Malformed`. */
export const readHeader = (bytes: Uint8Array): Header => {
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
    stateRoot: rlpBytes(items[3], 32),
    time: rlpUnsigned(items[11], 8) * 1000n
  }
}

/** A block as `eth_getBlockByNumber` tells it. All that is read of it is hex after `0x`. */
export type ToldBlock = Readonly<Record<string, unknown>>

const quantities: ReadonlySet<string> = new Set([
  "difficulty",
  "number",
  "gasLimit",
  "gasUsed",
  "timestamp",
  "baseFeePerGas",
  "blobGasUsed",
  "excessBlobGas",
  "step"
])

/** In the order in which they stand in every header. */
const always = [
  "parentHash",
  "sha3Uncles",
  "miner",
  "stateRoot",
  "transactionsRoot",
  "receiptsRoot",
  "logsBloom",
  "difficulty",
  "number",
  "gasLimit",
  "gasUsed",
  "timestamp",
  "extraData"
]

const seal = ["mixHash", "nonce"]

/** What headers have there on chains whose authorities make blocks in turn (Authority Round), such as the Energy Web Chain. */
const turnSeal = ["step", "signature"]

/** Those that forks appended, in the order in which they did. */
const appended = [
  "baseFeePerGas",
  "withdrawalsRoot",
  "blobGasUsed",
  "excessBlobGas",
  "parentBeaconBlockRoot",
  "requestsHash"
]

const memberOf = (block: ToldBlock, name: string): Item => {
  const text = block[name]
  if (typeof text !== "string") throw new Malformed(`the block has no ${name}`)
  // Nodes give the hex of a signature without its `0x`, too, and a step in decimal digits.
  if (!quantities.has(name))
    return bytesOf(name, name === "signature" ? text.replace(/^0x/, "") : bare(text), largest)
  demand(
    /^0x[0-9a-f]{1,64}$/i.test(text) || (name === "step" && /^\d{1,20}$/.test(text)),
    `${name} of the block is no number`
  )
  return unsigned(BigInt(text))
}

/** The bytes of a block's header. Throws `Malformed` where they do not have the block's hash. */
export const encodeHeader = (block: ToldBlock): Uint8Array => {
  const sealed = "signature" in block && !("mixHash" in block) ? turnSeal : seal
  const names = [...always, ...sealed, ...appended.filter((name) => (block[name] ?? undefined) !== undefined)]
  const bytes = rlp(names.map((name) => memberOf(block, name)))
  const { hash } = block
  if (typeof hash !== "string") throw new Malformed("the block has no hash")
  if (!equalBytes(keccak_256(bytes), fromHex(bare(hash), 32)))
    throw new Malformed("the members of the block do not have its hash", "hash")
  return bytes
}
