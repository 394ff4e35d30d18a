/** What a node of a Substrate chain tells of a block's state: the header, and nodes of the trie (`state_getReadProof`). */
import { equalBytes, fromHex, Malformed } from "../bytes.ts"
import { gather } from "./blobs.ts"
import { bounds } from "./bounds.ts"
import { bare, bytesOf } from "./hexes.ts"
import { encodeHeader, readHeader, type ToldHeader } from "./substrateHeader.ts"
import { blake2b256, valueAt } from "./substrateTrie.ts"

/** Hex is after `0x`, as nodes tell it. */
export interface ReadProof {
  /** The hash of the block that was asked about. */
  readonly hash: string
  readonly header: ToldHeader
  /** Nodes of the trie, and values that are there by their hash, in any order. */
  readonly nodes: ReadonlyArray<string>
}

/** The state of a block, as far as a node proved it. */
export interface ProvedState {
  readonly number: number
  readonly header: Uint8Array
  /** The value under a key, hex after `0x`; undefined where there is none. Throws `Malformed`, reason `missing`, where the nodes say neither. */
  readonly valueAt: (key: string) => Uint8Array | undefined
  /** The nodes that were read so far, as a proof has them. */
  readonly used: () => ReadonlyArray<string>
}

/** Reads what a node told. Throws `Malformed` where the header is not that of the block. */
export const provedState = ({ hash, header, nodes }: ReadProof): ProvedState => {
  const bytes = encodeHeader(header)
  const { hash: own, number, stateRoot } = readHeader(bytes)
  if (!equalBytes(own, fromHex(bare(hash), 32)))
    throw new Malformed("the header does not have the block's hash", "hash")
  const blobs = gather(
    nodes.map((node) => bytesOf("a node", bare(node), bounds.node)),
    blake2b256
  )
  return {
    number: Number(number),
    header: bytes,
    valueAt: (key) => valueAt(stateRoot, bytesOf("a key", bare(key), bounds.key), blobs),
    used: blobs.used
  }
}
