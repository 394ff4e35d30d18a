/** Tries of EVM chains, as a node of a chain builds them, and proofs of what is in them. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { fromHex, toHex } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { type ChainProof, chainProofTag } from "../../../core/proof/chain/document.ts"
import { rlp, unsigned } from "../../../core/proof/chain/rlpWriter.ts"

export { encodeHeader as headerOfBlock } from "../../../core/proof/chain/evmHeader.ts"
export { type Item, rlp, unsigned } from "../../../core/proof/chain/rlpWriter.ts"
export { hexPrefix, patricia } from "../../../runtime/tape/evmTrie.ts"

/** A number of 32 bytes. */
export const word = (value: bigint): Uint8Array => fromHex(value.toString(16).padStart(64, "0"))

export const nodesInOrder = (nodes: ReadonlyArray<Uint8Array>): ReadonlyArray<string> =>
  [...new Map(nodes.map((node) => [toHex(keccak_256(node)), toHex(node)]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, node]) => node)

/** The header of a made-up block over a state. */
export const evmHeaderOver = (stateRoot: Uint8Array, number = 1_000_000n): Uint8Array => {
  const hash = new Uint8Array(32)
  return rlp([
    ...[hash, hash, new Uint8Array(20), stateRoot, hash, hash, new Uint8Array(256)],
    ...[unsigned(0n), unsigned(number), unsigned(30_000_000n), unsigned(0n), unsigned(1_790_000_000n)],
    ...[new Uint8Array(), hash, new Uint8Array(8), unsigned(7n)]
  ])
}

interface ClaimOf {
  readonly kind: string
  readonly [member: string]: unknown
}

export const evmProof = (
  header: Uint8Array,
  number: number,
  nodes: ReadonlyArray<Uint8Array>,
  claims: ReadonlyArray<ClaimOf>,
  chain = "eip155:1",
  codes: ReadonlyArray<Uint8Array> = []
): ChainProof => ({
  v: chainProofTag,
  chain,
  block: { number, hash: toHex(keccak_256(header)), header: toHex(header) },
  nodes: nodesInOrder(nodes),
  codes: nodesInOrder(codes),
  claims: claims.toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1))
})

/** A proof below a header that is made over the root. */
export const evmProofOver = (
  stateRoot: Uint8Array,
  nodes: ReadonlyArray<Uint8Array>,
  claims: ReadonlyArray<ClaimOf>,
  codes: ReadonlyArray<Uint8Array> = []
): ChainProof => evmProof(evmHeaderOver(stateRoot), 1_000_000, nodes, claims, "eip155:1", codes)

export const account = (storageRoot: Uint8Array, codeHash: Uint8Array, balance = 0n): Uint8Array =>
  rlp([unsigned(1n), unsigned(balance), storageRoot, codeHash])
