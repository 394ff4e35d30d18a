/** The operations of an OpenTimestamps proof; each transforms a message into the next. */
import { ripemd160, sha1 } from "@noble/hashes/legacy.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { compareBytes, concat, Malformed, toHex, utf8 } from "../bytes.ts"

/** Longest message and argument in the reference implementation, in bytes. */
export const longestMessage = 4096

export interface Op {
  readonly code: number
  /** For the two binary operations only: 1 to 4096 bytes. */
  readonly argument?: Uint8Array
}

const append = 0xf0
const prepend = 0xf1

const unary: ReadonlyMap<number, (message: Uint8Array) => Uint8Array> = new Map([
  [0x02, sha1],
  [0x03, ripemd160],
  [0x08, sha256],
  [0x67, keccak_256],
  [0xf2, (message: Uint8Array) => message.slice().reverse()],
  [0xf3, (message: Uint8Array) => utf8(toHex(message))]
])

/** Supported file hashes, with their digest lengths. */
export const digestLengths: ReadonlyMap<number, number> = new Map([
  [0x02, 20],
  [0x03, 20],
  [0x08, 32],
  [0x67, 32]
])

const names: ReadonlyMap<number, string> = new Map([
  [0x02, "sha1"],
  [0x03, "ripemd160"],
  [0x08, "sha256"],
  [0x67, "keccak256"],
  [append, "append"],
  [prepend, "prepend"],
  [0xf2, "reverse"],
  [0xf3, "hexlify"]
])

export const opName = (code: number): string => names.get(code) ?? `0x${toHex(Uint8Array.of(code))}`

export const isBinary = (code: number): boolean => code === append || code === prepend
export const isOp = (code: number): boolean => isBinary(code) || unary.has(code)

export const opSha256: Op = { code: 0x08 }
export const opAppend = (argument: Uint8Array): Op => ({ code: append, argument })
export const opPrepend = (argument: Uint8Array): Op => ({ code: prepend, argument })

/** Applies the operation. Throws `Malformed` if the result is empty or longer than the format allows. */
export const apply = (op: Op, message: Uint8Array): Uint8Array => {
  const result = compute(op, message)
  if (result.length === 0 || result.length > longestMessage) {
    throw new Malformed(
      `after ${opName(op.code)} the message has ${result.length} bytes (expected 1 to ${longestMessage})`
    )
  }
  return result
}

const compute = (op: Op, message: Uint8Array): Uint8Array => {
  const single = unary.get(op.code)
  if (single !== undefined) return single(message)
  if (!isBinary(op.code) || op.argument === undefined)
    throw new Malformed(`unknown operation ${opName(op.code)}`)
  return op.code === append ? concat(message, op.argument) : concat(op.argument, message)
}

export const sameOp = (a: Op, b: Op): boolean => compareOps(a, b) === 0

/** The order in which the format writes operations: by code, then by argument. */
export const compareOps = (a: Op, b: Op): number =>
  a.code - b.code || compareBytes(a.argument ?? new Uint8Array(), b.argument ?? new Uint8Array())
