/** Recursive length prefix, as EVM chains write headers, nodes and accounts: only the shortest form of each item is read. */
import { Malformed, toHex } from "../bytes.ts"
import { demand } from "../check.ts"

export interface RlpList {
  readonly items: ReadonlyArray<RlpItem>
  /** Bytes of its encoding. */
  readonly size: number
}

export type RlpItem = Uint8Array | RlpList

/** Nodes that are embedded in one another are not deeper. */
const deepest = 8

export const unsignedOf = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`)

const lengthAt = (bytes: Uint8Array, at: number, width: number): number => {
  demand(width <= 4 && at + width <= bytes.length, "RLP: a length is cut off or too long")
  const length = Number(unsignedOf(bytes.subarray(at, at + width)))
  demand(bytes[at] !== 0 && length > 55, "RLP: a length is not in its shortest form")
  return length
}

const listAt = (bytes: Uint8Array, from: number, end: number, depth: number): ReadonlyArray<RlpItem> => {
  const items: Array<RlpItem> = []
  for (let at = from; at < end; ) {
    const [item, after] = read(bytes, at, depth + 1)
    demand(after <= end, "RLP: an item leaves its list")
    items.push(item)
    at = after
  }
  return items
}

const read = (bytes: Uint8Array, at: number, depth: number): readonly [item: RlpItem, end: number] => {
  demand(depth <= deepest, "RLP: lists in one another are too deep")
  const first = bytes[at]
  if (first === undefined) throw new Malformed("RLP: cut off")
  if (first < 0x80) return [bytes.subarray(at, at + 1), at + 1]
  const isList = first >= 0xc0
  const short = first - (isList ? 0xc0 : 0x80)
  const width = short > 55 ? short - 55 : 0
  const from = at + 1 + width
  const end = from + (width === 0 ? short : lengthAt(bytes, at + 1, width))
  demand(end <= bytes.length, "RLP: cut off")
  if (isList) return [{ items: listAt(bytes, from, end, depth), size: end - at }, end]
  demand(end - from !== 1 || (bytes[from] ?? 0) >= 0x80, "RLP: a byte is not in its shortest form")
  return [bytes.subarray(from, end), end]
}

/** The item that these bytes are, without anything after it. Throws `Malformed`. */
export const readRlp = (bytes: Uint8Array): RlpItem => {
  const [item, end] = read(bytes, 0, 0)
  demand(end === bytes.length, "RLP: something follows")
  return item
}

export const isList = (item: RlpItem | undefined): item is RlpList =>
  item !== undefined && !(item instanceof Uint8Array)

/** The items of a list, of one of these lengths. Throws `Malformed`. */
export const itemsOf = (item: RlpItem, ...lengths: ReadonlyArray<number>): ReadonlyArray<RlpItem> => {
  if (!isList(item)) throw new Malformed("RLP: not a list")
  demand(lengths.includes(item.items.length), `RLP: a list of ${item.items.length} items`)
  return item.items
}

/** The bytes of an item, so many where `size` is there. Throws `Malformed`. */
export const rlpBytes = (item: RlpItem | undefined, size?: number): Uint8Array => {
  if (item === undefined || isList(item)) throw new Malformed("RLP: not bytes")
  demand(size === undefined || item.length === size, `RLP: not ${size} bytes`)
  return item
}

/** An unsigned integer: big endian, without a leading zero, so that nothing is 0. Throws `Malformed`. */
export const rlpUnsigned = (item: RlpItem | undefined, widest = 32): bigint => {
  const bytes = rlpBytes(item)
  demand(bytes.length <= widest && bytes[0] !== 0, "RLP: not an integer in its shortest form")
  return unsignedOf(bytes)
}
