/** The header of a block, held to what a document says of the block. */
import { equalBytes, fromHex } from "../bytes.ts"
import { demand } from "../check.ts"
import { bounds } from "./bounds.ts"
import type { ChainProof } from "./document.ts"
import type { Family, Header } from "./family.ts"
import { bytesOf } from "./hexes.ts"

/** The header of a document's block. Throws `Malformed` unless it has the hash, the number and the chain that the document names. */
export const headerOf = (family: Family, { block, chain }: Pick<ChainProof, "block" | "chain">): Header => {
  demand(family.chain.test(chain), `${chain} does not name a chain of ${family.namespace}`)
  const header = family.readHeader(bytesOf("the header", block.header, bounds.header))
  demand(equalBytes(header.hash, fromHex(block.hash)), "the header does not have the block's hash", "hash")
  demand(
    header.number === BigInt(block.number),
    `the header is of block ${header.number}, not ${block.number}`,
    "contradiction"
  )
  demand(
    header.chain === undefined || header.chain === chain,
    `the header is of ${header.chain}, not of ${chain}`,
    "origin"
  )
  return header
}
