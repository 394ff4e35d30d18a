/** Members of a proof that are bytes, in lower-case hex, each with a bound. */
import { fromHex, Malformed } from "../bytes.ts"

/** Bytes of a member, at most so many. Throws `Malformed` naming it. */
export const bytesOf = (name: string, text: string, most: number): Uint8Array => {
  if (text.length > most * 2) throw new Malformed(`${name} must have at most ${most} bytes`)
  return fromHex(text)
}

/** Bytes of a member, exactly so many. Throws `Malformed` naming it. */
export const exactly = (name: string, text: string, size: number): Uint8Array => {
  if (text.length !== size * 2) throw new Malformed(`${name} must have ${size} bytes`)
  return fromHex(text)
}

/** Hex of a node, without its `0x` and in lower case. Throws `Malformed`. */
export const bare = (text: string): string => {
  if (!text.startsWith("0x")) throw new Malformed("hex of a node must begin with 0x")
  return text.slice(2).toLowerCase()
}

/** The nibbles of bytes, the high one first. */
export const nibblesOf = (bytes: Uint8Array): Uint8Array => {
  const nibbles = new Uint8Array(bytes.length * 2)
  for (const [at, byte] of bytes.entries()) {
    nibbles[at * 2] = byte >> 4
    nibbles[at * 2 + 1] = byte & 15
  }
  return nibbles
}
