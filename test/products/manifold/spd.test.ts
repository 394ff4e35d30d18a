/** Distances of symmetric positive definite matrices: their laws, values worked by hand, and an independent computation. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { affineInvariant, logEuclidean, type Spd, spdOf } from "../../../core/products/manifold/spd.ts"
import { bounds } from "../../../core/wire/products/manifold.ts"
import reference from "./reference.json" with { type: "json" }

type Rows = ReadonlyArray<ReadonlyArray<number>>

const spd = (rows: Rows): Spd => Result.getOrThrowWith(spdOf(rows), (message) => new Error(message))
const messageOf = (rows: Rows): string => {
  const read = spdOf(rows)
  return Result.isFailure(read) ? read.failure : assert.fail("it was taken")
}

const diagonal = (...values: ReadonlyArray<number>): Rows =>
  values.map((value, i) => values.map((_, j) => (i === j ? value : 0)))
const product = (a: Rows, b: Rows): Rows =>
  a.map((row) => (b[0] ?? []).map((_, j) => row.reduce((sum, value, k) => sum + value * (b[k]?.[j] ?? 0), 0)))
const transposed = (a: Rows): Rows => (a[0] ?? []).map((_, j) => a.map((row) => row[j] ?? 0))
/** M A Mᵀ, with its rounding taken out of the symmetry. */
const congruent = (m: Rows, a: Rows): Rows => {
  const result = product(product(m, a), transposed(m))
  return result.map((row, i) => row.map((value, j) => (value + (result[j]?.[i] ?? 0)) / 2))
}
const times = (a: Rows, factor: number): Rows => a.map((row) => row.map((value) => value * factor))

/** By Gauss and Jordan, with pivots. */
const inverse = (a: Rows): Rows => {
  const n = a.length
  const work = a.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))])
  for (let i = 0; i < n; i++) {
    const pivot = work
      .map((row, r) => ({ r, size: r < i ? -1 : Math.abs(row[i] ?? 0) }))
      .reduce((x, y) => (y.size > x.size ? y : x)).r
    const [upper = [], lower = []] = [work[i], work[pivot]]
    work[i] = lower.map((value) => value / (lower[i] ?? 1))
    if (pivot !== i) work[pivot] = upper
    const row = work[i] ?? []
    for (let r = 0; r < n; r++) {
      const by = work[r]?.[i] ?? 0
      if (r !== i) work[r] = (work[r] ?? []).map((value, j) => value - by * (row[j] ?? 0))
    }
  }
  return work.map((row) => row.slice(n))
}

/** Rotations in each plane by the angles. */
const rotation = (n: number, angles: ReadonlyArray<number>): Rows => {
  let matrix = diagonal(...Array.from({ length: n }, () => 1))
  let at = 0
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const angle = angles[at++ % angles.length] ?? 0
      const plane = diagonal(...Array.from({ length: n }, () => 1)).map((row) => [...row])
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
      plane[i]?.splice(i, 1, cos)
      plane[j]?.splice(j, 1, cos)
      plane[i]?.splice(j, 1, -sin)
      plane[j]?.splice(i, 1, sin)
      matrix = product(matrix, plane)
    }
  }
  return matrix
}

const angles = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 6, maxLength: 6 })
const logs = (n: number) =>
  fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: n, maxLength: n })
/** A matrix by its eigenvalues, up to e³ and down to e⁻³, and its axes. */
const matrix = (n: number): fc.Arbitrary<Rows> =>
  fc
    .tuple(logs(n), angles)
    .map(([values, turns]) => congruent(rotation(n, turns), diagonal(...values.map(Math.exp))))
const some = (count: number): fc.Arbitrary<ReadonlyArray<Rows>> =>
  fc.integer({ min: 1, max: 5 }).chain((n) => fc.array(matrix(n), { minLength: count, maxLength: count }))

const distances = { logEuclidean, affineInvariant }
const near = 1e-9

describe.each(Object.entries(distances))("%s", (_, distance) => {
  const between = (a: Rows, b: Rows) => distance(spd(a), spd(b))

  it("is the same both ways, 0 to itself, above 0 to others, and never longer than a detour", () => {
    fc.assert(
      fc.property(some(3), ([a = [], b = [], c = []]) => {
        assert.closeTo(between(a, b), between(b, a), near)
        assert.isAtMost(between(a, a), near)
        assert.isAtMost(between(a, c), between(a, b) + between(b, c) + near)
        assert.isAbove(between(a, times(b, 1000)), 0)
      })
    )
  })

  it("does not change when both are inverted, scaled or turned", () => {
    fc.assert(
      fc.property(
        some(2),
        angles,
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        ([a = [], b = []], turns, by) => {
          const straight = between(a, b)
          const turn = rotation(a.length, turns)
          const inverted = [inverse(a), inverse(b)].map((m) => congruent(diagonal(...m.map(() => 1)), m))
          assert.closeTo(between(inverted[0] ?? [], inverted[1] ?? []), straight, near)
          assert.closeTo(between(times(a, by), times(b, by)), straight, near)
          assert.closeTo(between(congruent(turn, a), congruent(turn, b)), straight, near)
        }
      )
    )
  })

  it("is √(Σ ln²) of the quotients of diagonal matrices", () => {
    assert.closeTo(between(diagonal(1, 1), diagonal(Math.E, 1)), 1, near)
    assert.closeTo(between(diagonal(2, 3, 5), diagonal(20, 3, 0.5)), Math.sqrt(2) * Math.log(10), near)
    assert.closeTo(between([[4]], [[1]]), Math.log(4), near)
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }).chain((n) => fc.tuple(logs(n), logs(n))),
        ([x, y]) => {
          const expected = Math.sqrt(x.reduce((sum, value, i) => sum + (value - (y[i] ?? 0)) ** 2, 0))
          assert.closeTo(between(diagonal(...x.map(Math.exp)), diagonal(...y.map(Math.exp))), expected, near)
        }
      )
    )
  })

  it("is as right at the edges of what doubles hold", () => {
    const [tiny, tinier]: ReadonlyArray<Rows> = [
      [
        [1.05, 5e-324, 0],
        [5e-324, 1, 0],
        [0, 0, 1]
      ],
      [
        [1, 0, 1.5e-323],
        [0, 1, 0],
        [1.5e-323, 0, 2]
      ]
    ]
    const expected = Math.hypot(Math.log(1.05), Math.log(2))
    assert.closeTo(between(tiny ?? [], tinier ?? []), expected, near)
    for (const by of [1e-300, 1e-150, 1e149]) {
      assert.closeTo(between(diagonal(by, by), diagonal(by, by * Math.E)), 1, near)
    }
    assert.closeTo(
      between(diagonal(1e-160, 1e-160), diagonal(1e140, 1e140)),
      300 * Math.SQRT2 * Math.log(10),
      1e-6
    )
  })
})

describe("the affine-invariant distance", () => {
  it("does not change under any congruence, where the log-Euclidean one does", () => {
    fc.assert(
      fc.property(
        some(2),
        angles,
        fc.double({ min: -2, max: 2, noNaN: true }),
        ([a = [], b = []], turns, shear) => {
          const turn = rotation(a.length, turns)
          const m = turn.map((row, i) => row.map((value, j) => value * (1 + i) + (j > i ? shear : 0)))
          // A congruence close to singular leaves nothing to compare.
          const probe = spdOf(congruent(m, a))
          const other = spdOf(congruent(m, b))
          fc.pre(Result.isSuccess(probe) && Result.isSuccess(other))
          if (Result.isFailure(probe) || Result.isFailure(other)) return
          fc.pre(probe.success.condition < 1e6 && other.success.condition < 1e6)
          assert.closeTo(affineInvariant(probe.success, other.success), affineInvariant(spd(a), spd(b)), 1e-7)
        }
      )
    )
    const [a, b, m]: ReadonlyArray<Rows> = [
      diagonal(1, 2),
      [
        [2, 1],
        [1, 3]
      ],
      [
        [1, 1],
        [0, 1]
      ]
    ]
    if (a === undefined || b === undefined || m === undefined) return assert.fail()
    const moved = logEuclidean(spd(congruent(m, a)), spd(congruent(m, b)))
    assert.isAbove(Math.abs(moved - logEuclidean(spd(a), spd(b))), 0.01)
  })

  it("is that of the generalised eigenvalues, which for two rows are the roots of a quadratic", () => {
    fc.assert(
      fc.property(matrix(2), matrix(2), (a, b) => {
        // det(B - μA) = 0 is |A| μ² - (a11 b22 + a22 b11 - 2 a12 b12) μ + |B| = 0.
        const [[a11 = 0, a12 = 0] = [], [, a22 = 0] = []] = a
        const [[b11 = 0, b12 = 0] = [], [, b22 = 0] = []] = b
        const [p, q, r] = [
          a11 * a22 - a12 * a12,
          a11 * b22 + a22 * b11 - 2 * a12 * b12,
          b11 * b22 - b12 * b12
        ]
        const larger = (q + Math.sqrt(Math.max(0, q * q - 4 * p * r))) / (2 * p)
        const smaller = r / p / larger
        assert.closeTo(affineInvariant(spd(a), spd(b)), Math.hypot(Math.log(larger), Math.log(smaller)), 1e-6)
      })
    )
  })
})

describe("matrices near the bound", () => {
  it("are as far from each other as mpmath computes with 60 digits", () => {
    assert.isAbove(Math.max(...reference.map(({ condition }) => condition)), bounds.condition / 10)
    for (const { a, affine_invariant, b, log_euclidean } of reference) {
      assert.closeTo(logEuclidean(spd(a), spd(b)), log_euclidean, 1e-7)
      assert.closeTo(affineInvariant(spd(a), spd(b)), affine_invariant, 1e-7)
    }
  })
})

describe("an embedding", () => {
  it("is the upper triangle of the logarithm, so that embeddings lie as far apart as their matrices", () => {
    // [[2, 1], [1, 2]] has the eigenvalues 1 and 3 on the axes (1, -1) and (1, 1): its logarithm is ln 3 / 2 everywhere.
    const { condition, eigenvalues, embedding } = spd([
      [2, 1],
      [1, 2]
    ])
    const half = Math.log(3) / 2
    for (const [i, value] of [half, half * Math.SQRT2, half].entries())
      assert.closeTo(embedding[i] ?? 0, value, near)
    assert.closeTo(eigenvalues[0] ?? 0, 1, near)
    assert.closeTo(eigenvalues[1] ?? 0, 3, near)
    assert.closeTo(condition, 3, near)
    fc.assert(
      fc.property(some(2), ([a = [], b = []]) => {
        const [x, y] = [spd(a).embedding, spd(b).embedding]
        assert.lengthOf(x, (a.length * (a.length + 1)) / 2)
        const apart = Math.sqrt(x.reduce((sum, value, i) => sum + (value - (y[i] ?? 0)) ** 2, 0))
        assert.closeTo(logEuclidean(spd(a), spd(b)), apart, near)
      })
    )
  })
})

describe("a matrix that is none", () => {
  it("is told what is wrong with it", () => {
    const large = Array.from({ length: 33 }, (_, i) => Array.from({ length: 33 }, (_, j) => Number(i === j)))
    const cases: ReadonlyArray<readonly [Rows, RegExp]> = [
      [[], /no rows/],
      [[[]], /not square: it has 1 rows of 0/],
      [[[1, 0]], /not square: it has 1 rows of 2 entries/],
      [[[1, 0], [0]], /ragged: row 0 has 2 entries and row 1 has 1/],
      [large, /33 rows; at most 32/],
      [
        [
          [1, 0.5],
          [0.4, 1]
        ],
        /not symmetric: \[1\]\[0\] is 0.4 and \[0\]\[1\] is 0.5; they may differ by at most 1e-9/
      ],
      [diagonal(0, 0), /smallest eigenvalue is 0/],
      [diagonal(1, -2), /smallest eigenvalue is -2/],
      [
        [
          [1, 1],
          [1, 1]
        ],
        /not positive definite/
      ],
      [
        [
          [1, 2],
          [2, 1]
        ],
        /smallest eigenvalue is -1/
      ],
      [
        diagonal(1e9, 1),
        /ill-conditioned: its largest eigenvalue is 1.00e\+9 times its smallest; up to 100000000/
      ],
      [diagonal(1e151, 1e151), /larger than 1e\+150/]
    ]
    for (const [rows, pattern] of cases) assert.match(messageOf(rows), pattern)
  })

  it("is taken where it differs from one by rounding", () => {
    const { embedding } = spd([
      [1, 0.5 + 1e-12],
      [0.5, 1]
    ])
    assert.closeTo(
      embedding[0] ?? 0,
      spd([
        [1, 0.5],
        [0.5, 1]
      ]).embedding[0] ?? 0,
      1e-11
    )
    assert.isTrue(Result.isSuccess(spdOf(diagonal(bounds.condition * 0.999, 1))))
    assert.isTrue(Result.isSuccess(spdOf(diagonal(...Array.from({ length: 32 }, (_, i) => i + 1)))))
  })
})
