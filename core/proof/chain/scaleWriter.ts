/** The part of SCALE that headers and nodes of a trie are written in. */

/** An unsigned integer of so many bytes, little endian. */
export const little = (value: bigint, size: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, at) => Number((value >> BigInt(at * 8)) & 255n))

const bytesIn = (value: bigint): number => Math.ceil(value.toString(16).length / 2)

/** A compact integer in its shortest form. */
export const compact = (value: bigint): Uint8Array => {
  if (value < 1n << 6n) return little(value << 2n, 1)
  if (value < 1n << 14n) return little((value << 2n) | 1n, 2)
  if (value < 1n << 30n) return little((value << 2n) | 2n, 4)
  const size = Math.max(4, bytesIn(value))
  return Uint8Array.of(((size - 4) << 2) | 3, ...little(value, size))
}
