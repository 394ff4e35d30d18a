/** How numbers stand in the storage of Substrate chains (SCALE). */

/** Reads a value; undefined when the bytes are not one. */
export type Codec<A> = (bytes: Uint8Array) => A | undefined

/** An unsigned integer, little endian, of any of these widths in bytes. */
export const unsigned =
  (...widths: ReadonlyArray<number>): Codec<bigint> =>
  (bytes) =>
    widths.includes(bytes.length)
      ? bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
      : undefined

/** A compact length and how many bytes it takes; longer forms (2^30 and more) are not supported. */
const compact = (bytes: Uint8Array): readonly [value: number, width: number] | undefined => {
  const [first] = bytes
  if (first === undefined) return undefined
  const width = [1, 2, 4][first & 3]
  if (width === undefined || bytes.length < width) return undefined
  const whole = bytes.slice(0, width).reduceRight((value, byte) => value * 256 + byte, 0)
  return [Math.floor(whole / 4), width]
}

/** How many of a `Vec<bool>` are true. */
export const countTrue: Codec<bigint> = (bytes) => {
  const length = compact(bytes)
  if (length === undefined) return undefined
  const items = bytes.slice(length[1])
  if (items.length !== length[0] || items.some((item) => item > 1)) return undefined
  return BigInt(items.reduce((count, item) => count + item, 0))
}

/** The length of a list whose entries take so many bytes each. */
export const lengthOf =
  (width: number): Codec<bigint> =>
  (bytes) => {
    const length = compact(bytes)
    return length === undefined || bytes.length !== length[1] + length[0] * width
      ? undefined
      : BigInt(length[0])
  }

/** The sum of two unsigned integers of this width that stand side by side. */
export const sumOf =
  (width: number): Codec<bigint> =>
  (bytes) => {
    const parts = [bytes.slice(0, width), bytes.slice(width)].map(unsigned(width))
    const [one, other] = parts
    return one === undefined || other === undefined ? undefined : one + other
  }
