/**
 * Bitcoin block headers: enough to check that a block's Merkle root is the message of a proof and that the header has the
 * work it claims. A header alone cannot prove which chain it belongs to; `difficultyFloor` makes a fake one expensive.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { fromHex, Malformed, toHex } from "../bytes.ts"

export interface BlockHeader {
  /** Hash as explorers print it: byte-reversed hex. */
  readonly hash: string
  /** Hash of the previous block, byte-reversed hex. */
  readonly previous: string
  /** In header byte order, as in proofs; explorers print it reversed. */
  readonly merkleRoot: Uint8Array
  /** Unix time in seconds by the miner's clock, which may be up to 2 hours off. */
  readonly time: number
  /** Upper bound for the hash, as a number. */
  readonly target: bigint
  /** Work relative to the easiest Bitcoin block. */
  readonly difficulty: number
}

/** Networks a proof can be checked against. The fixture network exists only in tests. */
export type Network = "bitcoin" | "bitcoin-regtest-fixture"

const easiest: Readonly<Record<Network, bigint>> = {
  bitcoin: 0xffffn << 208n,
  "bitcoin-regtest-fixture": 0x7fffffn << 232n
}

// Bitcoin's difficulty has stayed above these values since these heights (public chain data, 2026).
const floors: ReadonlyArray<readonly [height: number, difficulty: number]> = [
  [750_000, 2e13],
  [600_000, 1e13],
  [500_000, 1e12],
  [400_000, 1e11],
  [300_000, 1e9]
]

/** The lowest difficulty accepted for a Bitcoin block at this height. */
export const difficultyFloor = (height: number): number => floors.find(([from]) => height >= from)?.[1] ?? 1

/** Parses an 80-byte header from 160 hex digits. Throws `Malformed`. */
export const parseHeader = (hex: string): BlockHeader => {
  const bytes = fromHex(hex.trim().toLowerCase(), 80)
  const view = new DataView(bytes.buffer, bytes.byteOffset, 80)
  const target = targetOf(view.getUint32(72, true))
  return {
    hash: toHex(sha256(sha256(bytes)).reverse()),
    previous: toHex(bytes.slice(4, 36).reverse()),
    merkleRoot: bytes.slice(36, 68),
    time: view.getUint32(68, true),
    target,
    difficulty: Number(easiest.bitcoin) / Number(target)
  }
}

const targetOf = (bits: number): bigint => {
  const exponent = bits >>> 24
  const mantissa = bits & 0x7fffff
  if ((bits & 0x800000) !== 0 || mantissa === 0 || exponent < 3 || exponent > 32) {
    throw new Malformed(`the header's difficulty bits 0x${bits.toString(16)} are not valid`)
  }
  return BigInt(mantissa) << BigInt(8 * (exponent - 3))
}

/** Why this header cannot be a block at this height of this network; undefined if it has enough work. */
export const notMined = (header: BlockHeader, height: number, network: Network): string | undefined => {
  if (header.target > easiest[network]) return `its target is easier than that of any ${network} block`
  if (BigInt(`0x${header.hash}`) > header.target) return "its hash does not meet its own target"
  if (network === "bitcoin" && header.difficulty < difficultyFloor(height)) {
    return `its difficulty ${header.difficulty.toPrecision(4)} is below the minimum ${difficultyFloor(height)} at height ${height}`
  }
  return undefined
}
