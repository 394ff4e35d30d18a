/** Numbers of BLS12-381: the field of p, and the one above it, whose elements are a + b·u with u² = -1. For verification alone: nothing in it is secret, and nothing takes the same time for all numbers. */

/** The characteristic of the field. */
export const p =
  0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn

/** The order of the groups. */
export const order = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n

const mod = (a: bigint): bigint => {
  const rest = a % p
  return rest < 0n ? rest + p : rest
}

/** The arithmetic that points of both groups need. */
export interface Field<A> {
  readonly zero: A
  readonly one: A
  readonly add: (a: A, b: A) => A
  readonly sub: (a: A, b: A) => A
  readonly mul: (a: A, b: A) => A
  readonly sqr: (a: A) => A
  readonly inv: (a: A) => A
  readonly isZero: (a: A) => boolean
  readonly equal: (a: A, b: A) => boolean
}

/** By Euclid's algorithm; of 0 it is 0. */
const inverse = (a: bigint): bigint => {
  let [low, high, x, y] = [mod(a), p, 1n, 0n]
  if (low === 0n) return 0n
  while (low > 1n) {
    const quotient = high / low
    ;[high, low] = [low, high - quotient * low]
    ;[y, x] = [x, y - quotient * x]
  }
  return mod(x)
}

export const power = <A>(
  { mul, one, sqr }: Pick<Field<A>, "mul" | "one" | "sqr">,
  a: A,
  exponent: bigint
): A => {
  let result = one
  for (const bit of exponent.toString(2)) {
    result = sqr(result)
    if (bit === "1") result = mul(result, a)
  }
  return result
}

export const fp: Field<bigint> = {
  zero: 0n,
  one: 1n,
  add: (a, b) => mod(a + b),
  sub: (a, b) => mod(a - b),
  mul: (a, b) => (a * b) % p,
  sqr: (a) => (a * a) % p,
  inv: inverse,
  isZero: (a) => a === 0n,
  equal: (a, b) => a === b
}

/** The square root; undefined where there is none. p is 3 modulo 4. */
export const rootOf = (a: bigint): bigint | undefined => {
  const square = mod(a)
  const root = power(fp, square, (p + 1n) / 4n)
  return fp.sqr(root) === square ? root : undefined
}

/** a + b·u. */
export type Fp2 = readonly [a: bigint, b: bigint]

const mul2 = ([a, b]: Fp2, [c, d]: Fp2): Fp2 => {
  const [ac, bd] = [a * c, b * d]
  return [mod(ac - bd), mod((a + b) * (c + d) - ac - bd)]
}

export const fp2: Field<Fp2> = {
  zero: [0n, 0n],
  one: [1n, 0n],
  add: ([a, b], [c, d]) => [mod(a + c), mod(b + d)],
  sub: ([a, b], [c, d]) => [mod(a - c), mod(b - d)],
  mul: mul2,
  sqr: ([a, b]) => [mod((a + b) * (a - b)), mod(2n * a * b)],
  inv: ([a, b]) => {
    const norm = inverse(a * a + b * b)
    return [mod(a * norm), mod(-b * norm)]
  },
  isZero: ([a, b]) => a === 0n && b === 0n,
  equal: ([a, b], [c, d]) => a === c && b === d
}

export const negative2 = ([a, b]: Fp2): Fp2 => [mod(-a), mod(-b)]
export const conjugate2 = ([a, b]: Fp2): Fp2 => [a, mod(-b)]
export const scaled2 = ([a, b]: Fp2, by: bigint): Fp2 => [mod(a * by), mod(b * by)]

const half = (p + 1n) / 2n

/** The square root; undefined where there is none. */
export const rootOf2 = (square: Fp2): Fp2 | undefined => {
  const [a, b] = square
  if (b === 0n) {
    const root = rootOf(a)
    if (root !== undefined) return [root, 0n]
    const imaginary = rootOf(mod(-a))
    return imaginary === undefined ? undefined : [0n, imaginary]
  }
  const norm = rootOf(a * a + b * b)
  if (norm === undefined) return undefined
  const real = rootOf((a + norm) * half) ?? rootOf((a - norm) * half)
  if (real === undefined) return undefined
  const root: Fp2 = [real, mod(b * inverse(2n * real))]
  return fp2.equal(fp2.sqr(root), square) ? root : undefined
}
