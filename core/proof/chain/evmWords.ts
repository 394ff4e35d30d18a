/** Arithmetic of the machine of EVM chains: words of 256 bits, by the instruction that takes two of them. */

const size = 1n << 256n

export const mask = size - 1n

const signBit = 1n << 255n

const signed = (word: bigint): bigint => (word >= signBit ? word - size : word)

const unsigned = (value: bigint): bigint => BigInt.asUintN(256, value)

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  let factor = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * factor) & mask
    factor = (factor * factor) & mask
  }
  return result
}

/** A word whose sign is at the top of the byte `index`, counted from the lowest. */
const signExtended = (index: bigint, word: bigint): bigint =>
  index >= 31n ? word : unsigned(BigInt.asIntN(Number(index) * 8 + 8, word))

type Operation = (a: bigint, b: bigint) => bigint

const flag = (is: boolean): bigint => (is ? 1n : 0n)

/** By the code of the instruction; `a` is the top of the stack. */
export const ofTwo: Readonly<Record<number, Operation>> = {
  1: (a, b) => (a + b) & mask,
  2: (a, b) => (a * b) & mask,
  3: (a, b) => unsigned(a - b),
  4: (a, b) => (b === 0n ? 0n : a / b),
  5: (a, b) => (b === 0n ? 0n : unsigned(signed(a) / signed(b))),
  6: (a, b) => (b === 0n ? 0n : a % b),
  7: (a, b) => (b === 0n ? 0n : unsigned(signed(a) % signed(b))),
  10: power,
  11: signExtended,
  16: (a, b) => flag(a < b),
  17: (a, b) => flag(a > b),
  18: (a, b) => flag(signed(a) < signed(b)),
  19: (a, b) => flag(signed(a) > signed(b)),
  20: (a, b) => flag(a === b),
  22: (a, b) => a & b,
  23: (a, b) => a | b,
  24: (a, b) => a ^ b,
  26: (a, b) => (a >= 32n ? 0n : (b >> (8n * (31n - a))) & 255n),
  27: (a, b) => (a >= 256n ? 0n : (b << a) & mask),
  28: (a, b) => (a >= 256n ? 0n : b >> a),
  29: (a, b) => unsigned(signed(b) >> (a >= 256n ? 255n : a))
}
