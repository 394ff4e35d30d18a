/** Points of the two groups of BLS12-381 in Jacobian coordinates, and their compressed bytes. */
import { Malformed } from "../../bytes.ts"
import { demand } from "../../check.ts"
import { type Field, type Fp2, fp, fp2, negative2, order, p, rootOf, rootOf2 } from "./fields.ts"

/** The point at infinity has `z` 0. */
export interface Point<A> {
  readonly x: A
  readonly y: A
  readonly z: A
}

export interface Group<A> {
  readonly infinity: Point<A>
  readonly add: (one: Point<A>, other: Point<A>) => Point<A>
  readonly times: (point: Point<A>, scalar: bigint) => Point<A>
  /** Undefined at infinity. */
  readonly affine: (point: Point<A>) => readonly [x: A, y: A] | undefined
  /** Whether it is a point of the group of the order, and not only of the curve. */
  readonly isInGroup: (point: Point<A>) => boolean
}

const groupOver = <A>(field: Field<A>): Group<A> => {
  const { add, isZero, mul, sqr, sub } = field
  const twice = (a: A): A => add(a, a)
  const infinity: Point<A> = { x: field.one, y: field.one, z: field.zero }
  const double = ({ x, y, z }: Point<A>): Point<A> => {
    const [xx, yy] = [sqr(x), sqr(y)]
    const yyyy = sqr(yy)
    const d = twice(sub(sub(sqr(add(x, yy)), xx), yyyy))
    const e = add(twice(xx), xx)
    const x3 = sub(sqr(e), twice(d))
    return { x: x3, y: sub(mul(e, sub(d, x3)), twice(twice(twice(yyyy)))), z: twice(mul(y, z)) }
  }
  const sum = (one: Point<A>, other: Point<A>): Point<A> => {
    if (isZero(one.z)) return other
    if (isZero(other.z)) return one
    const [zz1, zz2] = [sqr(one.z), sqr(other.z)]
    const [u1, u2] = [mul(one.x, zz2), mul(other.x, zz1)]
    const [s1, s2] = [mul(mul(one.y, other.z), zz2), mul(mul(other.y, one.z), zz1)]
    if (field.equal(u1, u2)) return field.equal(s1, s2) ? double(one) : infinity
    const h = sub(u2, u1)
    const i = sqr(twice(h))
    const j = mul(h, i)
    const r = twice(sub(s2, s1))
    const v = mul(u1, i)
    const x = sub(sub(sqr(r), j), twice(v))
    return {
      x,
      y: sub(mul(r, sub(v, x)), twice(mul(s1, j))),
      z: mul(twice(mul(one.z, other.z)), h)
    }
  }
  const times = (point: Point<A>, scalar: bigint): Point<A> => {
    let result = infinity
    for (const bit of scalar.toString(2)) {
      result = double(result)
      if (bit === "1") result = sum(result, point)
    }
    return result
  }
  return {
    infinity,
    add: sum,
    times,
    affine: ({ x, y, z }) => {
      if (isZero(z)) return undefined
      const inverse = field.inv(z)
      const squared = sqr(inverse)
      return [mul(x, squared), mul(y, mul(squared, inverse))]
    },
    isInGroup: (point) => isZero(times(point, order).z)
  }
}

/** Keys. */
export const g1 = groupOver(fp)

/** Signatures, and hashes of messages. */
export const g2 = groupOver(fp2)

/** The generator of the keys. */
export const generator: Point<bigint> = {
  x: 0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bbn,
  y: 0x08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1n,
  z: 1n
}

/** The point on the other side of the curve. */
export const opposite = ({ x, y, z }: Point<bigint>): Point<bigint> => ({ x, y: fp.sub(0n, y), z })

const bigEndian = (bytes: Uint8Array): bigint => bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)

/** Numbers of compressed bytes, the first one without its flags, and whether the greater of two roots is meant. Infinity is refused. */
const numbersIn = (
  bytes: Uint8Array,
  size: number
): { readonly numbers: ReadonlyArray<bigint>; readonly isGreater: boolean } => {
  const flags = (bytes[0] ?? 0) >> 5
  demand(bytes.length === size, `a point must have ${size} bytes`)
  demand(flags === 4 || flags === 5, "a point is not compressed, or at infinity")
  const plain = Uint8Array.from(bytes)
  plain[0] = (plain[0] ?? 0) & 31
  const numbers = Array.from({ length: size / 48 }, (_, at) =>
    bigEndian(plain.subarray(at * 48, at * 48 + 48))
  )
  demand(
    numbers.every((one) => one < p),
    "a number of a point is too large"
  )
  return { numbers, isGreater: flags === 5 }
}

const isAbove = (y: bigint): boolean => y * 2n > p

/** The key in 48 bytes: a point of the curve; whether it is one of the group is not looked at. Throws `Malformed`. */
export const keyIn = (bytes: Uint8Array): Point<bigint> => {
  const { isGreater, numbers } = numbersIn(bytes, 48)
  const x = numbers[0] ?? 0n
  const y = rootOf(x * x * x + 4n)
  if (y === undefined) throw new Malformed("a key is not on the curve")
  return { x, y: isAbove(y) === isGreater ? y : p - y, z: 1n }
}

/** The signature in 96 bytes, the same way. Throws `Malformed`. */
export const signatureIn = (bytes: Uint8Array): Point<Fp2> => {
  const { isGreater, numbers } = numbersIn(bytes, 96)
  const x: Fp2 = [numbers[1] ?? 0n, numbers[0] ?? 0n]
  const y = rootOf2(fp2.add(fp2.mul(fp2.sqr(x), x), [4n, 4n]))
  if (y === undefined) throw new Malformed("a signature is not on the curve")
  const greater = y[1] === 0n ? isAbove(y[0]) : isAbove(y[1])
  return { x, y: greater === isGreater ? y : negative2(y), z: fp2.one }
}
