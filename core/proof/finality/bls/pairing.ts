/** The optimal ate pairing of BLS12-381, as far as a signature needs it: whether the product of pairings is 1. */
import { conjugate2, type Fp2, fp2, negative2, p, power, scaled2 } from "./fields.ts"
import { g1, g2, type Point } from "./points.ts"

/** An element of the field of p¹²: six coefficients of the powers of w, where w⁶ = 1 + u. */
type Fp12 = ReadonlyArray<Fp2>

/** The parameter of the curve, which is below 0: -x. */
const x = 0xd201000000010000n

const { add, inv, mul, one, sqr, sub, zero } = fp2

/** Times w⁶. */
const raised = ([a, b]: Fp2): Fp2 => fp2.sub([a, b], [b, -a])

const one12: Fp12 = [one, zero, zero, zero, zero, zero]

const product = (a: Fp12, b: Fp12): Fp12 => {
  const low: Array<Fp2> = [...one12.map(() => zero)]
  const high: Array<Fp2> = [...low]
  for (const [i, left] of a.entries()) {
    if (fp2.isZero(left)) continue
    for (const [j, right] of b.entries()) {
      if (fp2.isZero(right)) continue
      const sums = i + j < 6 ? low : high
      const at = (i + j) % 6
      sums[at] = add(sums[at] ?? zero, mul(left, right))
    }
  }
  return low.map((sum, at) => add(sum, raised(high[at] ?? zero)))
}

const square = (a: Fp12): Fp12 => product(a, a)

const fp12 = { one: one12, mul: product, sqr: square }

/** The element to the power of p⁶. */
const conjugate = (a: Fp12): Fp12 => a.map((each, at) => (at % 2 === 0 ? each : negative2(each)))

/** (1 + u) to the powers of i·(p - 1)/6. */
const twists: ReadonlyArray<Fp2> = Array.from({ length: 6 }, (_, i) =>
  power(fp2, [1n, 1n], (BigInt(i) * (p - 1n)) / 6n)
)

/** The element to the power of p, so many times. */
const frobenius = (a: Fp12, times: number): Fp12 =>
  times === 0
    ? a
    : frobenius(
        a.map((each, at) => mul(conjugate2(each), twists[at] ?? one)),
        times - 1
      )

/** The inverse: of the norm in the field of p⁶, whose elements have even powers of w alone. */
const inverse = (a: Fp12): Fp12 => {
  const other = conjugate(a)
  const [n0 = zero, , n1 = zero, , n2 = zero] = product(a, other)
  const c0 = sub(sqr(n0), raised(mul(n1, n2)))
  const c1 = sub(raised(sqr(n2)), mul(n0, n1))
  const c2 = sub(sqr(n1), mul(n0, n2))
  const norm = inv(add(mul(n0, c0), raised(add(mul(n2, c1), mul(n1, c2)))))
  return product(other, [mul(c0, norm), zero, mul(c1, norm), zero, mul(c2, norm), zero])
}

/** An element of the cyclotomic group to the power of the parameter. */
const byParameter = (a: Fp12): Fp12 => conjugate(power(fp12, a, x))

/** Whether an element to the power of (p¹² - 1)/r, times 3, is 1. */
const isOne = (element: Fp12): boolean => {
  const easy = product(conjugate(element), inverse(element))
  const t1 = product(frobenius(easy, 2), easy)
  const t2 = byParameter(t1)
  const t3 = product(conjugate(square(t1)), t2)
  const t4 = byParameter(t3)
  const t5 = byParameter(t4)
  const t6 = product(byParameter(t5), square(t2))
  const t7 = byParameter(t6)
  const result = [
    frobenius(product(t2, t5), 2),
    frobenius(product(t4, t1), 3),
    frobenius(product(t6, conjugate(t1)), 1),
    t7,
    conjugate(t3),
    t1
  ].reduce(product)
  return result.every((each, at) => fp2.equal(each, at === 0 ? one : zero))
}

type Affine<A> = readonly [x: A, y: A]

/** The line through a point with a slope, at a point of the other group, times w³: the exponent that follows makes that 1. */
const lineAt = (slope: Fp2, [qx, qy]: Affine<Fp2>, [px, py]: Affine<bigint>): Fp12 => [
  sub(mul(slope, qx), qy),
  zero,
  negative2(scaled2(slope, px)),
  [py, 0n],
  zero,
  zero
]

const third = (slope: Fp2, [ax, ay]: Affine<Fp2>, bx: Fp2): Affine<Fp2> => {
  const cx = sub(sub(sqr(slope), ax), bx)
  return [cx, sub(mul(slope, sub(ax, cx)), ay)]
}

/**
 * Whether the product of the pairings of these points is 1, each a key and a signature of the group, none at infinity. The parameter is
 * below 0, which would invert the product: 1 stays 1.
 */
export const isProductOne = (pairs: ReadonlyArray<readonly [Point<bigint>, Point<Fp2>]>): boolean => {
  const sides = pairs.map(([key, signature]) => ({ at: g1.affine(key), from: g2.affine(signature) }))
  let result = one12
  const running = sides.flatMap(({ at, from }) =>
    at === undefined || from === undefined ? [] : [{ at, from, now: from }]
  )
  for (const bit of x.toString(2).slice(1)) {
    result = square(result)
    for (const side of running) {
      const [qx, qy] = side.now
      const doubling = mul(scaled2(sqr(qx), 3n), inv(scaled2(qy, 2n)))
      result = product(result, lineAt(doubling, side.now, side.at))
      side.now = third(doubling, side.now, qx)
      if (bit === "0") continue
      const adding = mul(sub(side.now[1], side.from[1]), inv(sub(side.now[0], side.from[0])))
      result = product(result, lineAt(adding, side.now, side.at))
      side.now = third(adding, side.now, side.from[0])
    }
  }
  return running.length === pairs.length && isOne(result)
}
