/** Protocol buffers: the little of them that proofs and headers of Cosmos chains need, in their shortest form alone. */
import { Malformed } from "../bytes.ts"
import { demand } from "../check.ts"

/** The fields of a message, by number; one that is repeated has several. */
export type Fields = ReadonlyMap<number, ReadonlyArray<bigint | Uint8Array>>

/** A number of at most 64 bits in its shortest form, and where it ends. Throws `Malformed`. */
export const varintAt = (bytes: Uint8Array, from: number): readonly [value: bigint, end: number] => {
  let value = 0n
  for (let at = from, shift = 0n; ; at++, shift += 7n) {
    const byte = bytes[at]
    if (byte === undefined) throw new Malformed("protobuf: cut off")
    value |= BigInt(byte & 127) << shift
    if (byte < 128) {
      demand(byte !== 0 || at === from, "protobuf: a number is not in its shortest form")
      demand(value < 1n << 64n, "protobuf: a number is too large")
      return [value, at + 1]
    }
    demand(shift < 63n, "protobuf: a number is too long")
  }
}

/** Bytes after their length, and where they end. Throws `Malformed`. */
export const prefixedAt = (bytes: Uint8Array, from: number): readonly [value: Uint8Array, end: number] => {
  const [length, at] = varintAt(bytes, from)
  demand(length <= BigInt(bytes.length - at), "protobuf: cut off")
  const end = at + Number(length)
  return [bytes.subarray(at, end), end]
}

const fieldAt = (
  bytes: Uint8Array,
  from: number
): readonly [number: number, value: bigint | Uint8Array, end: number] => {
  const [tag, at] = varintAt(bytes, from)
  const wire = tag & 7n
  demand(wire === 0n || wire === 2n, "protobuf: an unknown kind of field")
  const [value, end] = wire === 0n ? varintAt(bytes, at) : prefixedAt(bytes, at)
  return [Number(tag >> 3n), value, end]
}

/**
 * The fields of a message, of these numbers and no other, in the order of their numbers; only `repeated` ones may come again. Throws
 * `Malformed`.
 */
export const fieldsOf = (
  bytes: Uint8Array,
  numbers: ReadonlyArray<number>,
  repeated: ReadonlyArray<number> = []
): Fields => {
  const fields = new Map<number, Array<bigint | Uint8Array>>()
  let last = 0
  for (let at = 0; at < bytes.length; ) {
    const [number, value, end] = fieldAt(bytes, at)
    demand(numbers.includes(number), `protobuf: an unknown field ${number}`)
    demand(
      number > last || (number === last && repeated.includes(number)),
      "protobuf: fields are out of order, or there twice"
    )
    const before = fields.get(number)
    if (before === undefined) fields.set(number, [value])
    else before.push(value)
    last = number
    at = end
  }
  return fields
}

/** The bytes of a field; undefined if it is not there. Throws `Malformed` for a number. */
export const bytesAt = (fields: Fields, number: number): Uint8Array | undefined => {
  const [value] = fields.get(number) ?? []
  if (typeof value === "bigint") throw new Malformed("protobuf: a number in the place of bytes")
  return value
}

/** The number of a field; 0 if it is not there. Throws `Malformed` for bytes, and for a 0 that is there. */
export const numberAt = (fields: Fields, number: number): bigint => {
  const [value] = fields.get(number) ?? []
  if (value === undefined) return 0n
  if (typeof value !== "bigint" || value === 0n)
    throw new Malformed("protobuf: not a number in its shortest form")
  return value
}
