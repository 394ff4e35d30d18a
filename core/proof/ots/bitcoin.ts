/**
 * Bitcoin block headers: enough to check that a block's Merkle root is the message of a proof and that the header has the
 * work it claims. A header alone cannot prove which chain it belongs to; `difficultyFloor` makes a fake one expensive, and
 * its time must fit its height.
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
export type BitcoinNetwork = "bitcoin" | "bitcoin-regtest-fixture"

const easiest: Readonly<Record<BitcoinNetwork, bigint>> = {
  bitcoin: 0xffffn << 208n,
  "bitcoin-regtest-fixture": 0x7fffffn << 232n
}

/**
 * The lowest difficulty of Bitcoin's epochs from each height up to the next one, rounded down to two digits. Source: the
 * target of every epoch up to block 955,583, as Electrum ships them (electrum/chains/mainnet/checkpoints.json, August 2026).
 * After that, half of the lowest since 900,000.
 */
const floors: ReadonlyArray<readonly [height: number, difficulty: number]> = [
  [955_584, 5.8e13],
  [900_000, 1.1e14],
  [850_000, 7.9e13],
  [800_000, 5.2e13],
  [750_000, 2.8e13],
  [700_000, 1.8e13],
  [650_000, 1.3e13],
  [600_000, 1.2e13],
  [550_000, 5.1e12],
  [500_000, 1.8e12],
  [450_000, 3.9e11],
  [400_000, 1.5e11],
  [350_000, 4.6e10],
  [300_000, 8e9],
  [250_000, 3.7e7],
  [200_000, 2.8e6],
  [150_000, 1e6],
  [100_000, 1.4e4],
  [50_000, 6]
]

/** The lowest difficulty accepted for a Bitcoin block at this height. */
export const difficultyFloor = (height: number): number => floors.find(([from]) => height >= from)?.[1] ?? 1

/** Bitcoin blocks and their times (Unix seconds): public chain data. Between them, height grows nearly evenly with time. */
const referenceBlocks: ReadonlyArray<readonly [height: number, time: number]> = [
  [0, 1231006505],
  [100_000, 1293623863],
  [200_000, 1348310759],
  [300_000, 1399703554],
  [400_000, 1456417484],
  [500_000, 1513622125],
  [600_000, 1571443461],
  [700_000, 1631333672],
  [800_000, 1690168629],
  [840_000, 1713571767]
]
const halfYear = 183 * 86_400

/** When Bitcoin had this height, in Unix seconds, and how far off a block's time may be. */
export const expectedTime = (height: number): { readonly time: number; readonly within: number } => {
  const after = referenceBlocks.findIndex(([at]) => at > height)
  const last = referenceBlocks.length - 1
  const [from, begin] = referenceBlocks[(after < 0 ? last : after) - 1] ?? [0, 0]
  const [to, end] = referenceBlocks[after < 0 ? last : after] ?? [0, 0]
  if (after >= 0) return { time: begin + ((height - from) * (end - begin)) / (to - from), within: halfYear }
  // Ten minutes for each block; how far the miners are ahead of that by now, nobody can say exactly.
  const since = (height - to) * 600
  return { time: end + since, within: halfYear + since / 10 }
}

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

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

/** Why this header cannot be a block at this height of this network; undefined if it has enough work. */
export const notMined = (
  header: BlockHeader,
  height: number,
  network: BitcoinNetwork
): string | undefined => {
  if (header.target > easiest[network]) return `its target is easier than that of any ${network} block`
  if (BigInt(`0x${header.hash}`) > header.target) return "its hash does not meet its own target"
  if (network !== "bitcoin") return undefined
  if (header.difficulty < difficultyFloor(height)) {
    return `its difficulty ${header.difficulty.toPrecision(4)} is below the minimum ${difficultyFloor(height)} at height ${height}`
  }
  const { time, within } = expectedTime(height)
  if (Math.abs(header.time - time) > within) {
    return `it is of ${dayOf(header.time)}, but Bitcoin had height ${height} around ${dayOf(time)}`
  }
  return undefined
}
