/** Writes protocol buffers in their shortest form. */
import { concat } from "../bytes.ts"

export const varint = (value: bigint): Uint8Array => {
  const bytes: Array<number> = []
  let rest = BigInt.asUintN(64, value)
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Uint8Array.of(...bytes, Number(rest))
}

/** Bytes after their length. */
export const prefixed = (value: Uint8Array): Uint8Array => concat(varint(BigInt(value.length)), value)

/** A field that is a number: nothing for 0, which is left out. */
export const number = (field: number, value: bigint): Uint8Array =>
  value === 0n ? new Uint8Array() : concat(varint(BigInt(field) << 3n), varint(value))

/** A field that is a number of eight bytes, the lowest first: nothing for 0. */
export const fixed64 = (field: number, value: bigint): Uint8Array => {
  if (value === 0n) return new Uint8Array()
  const word = new Uint8Array(8)
  new DataView(word.buffer).setBigUint64(0, value, true)
  return concat(varint((BigInt(field) << 3n) | 1n), word)
}

/** A field that is a message, be it empty. */
export const message = (field: number, value: Uint8Array): Uint8Array =>
  concat(varint((BigInt(field) << 3n) | 2n), prefixed(value))

/** A field that is bytes or a text: nothing where they are empty. */
export const bytes = (field: number, value: Uint8Array): Uint8Array =>
  value.length === 0 ? value : message(field, value)
