/** Recursive length prefix, as EVM chains write headers: what `rlp.ts` reads. */
import { concat, fromHex } from "../bytes.ts"

/** What is written: bytes, or a list. */
export type Item = Uint8Array | ReadonlyArray<Item>

const even = (hex: string): string => hex.padStart(hex.length + (hex.length % 2), "0")

/** An unsigned integer, big endian and without a leading zero. */
export const unsigned = (value: bigint): Uint8Array =>
  value === 0n ? new Uint8Array() : fromHex(even(value.toString(16)))

const prefix = (length: number, base: number): Uint8Array => {
  if (length < 56) return Uint8Array.of(base + length)
  const size = unsigned(BigInt(length))
  return concat(Uint8Array.of(base + 55 + size.length), size)
}

export const rlp = (item: Item): Uint8Array => {
  if (!(item instanceof Uint8Array)) {
    const body = concat(...item.map(rlp))
    return concat(prefix(body.length, 0xc0), body)
  }
  return item.length === 1 && (item[0] ?? 0) < 0x80 ? item : concat(prefix(item.length, 0x80), item)
}
