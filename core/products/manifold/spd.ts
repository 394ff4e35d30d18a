/**
 * Symmetric positive definite matrices: their logarithm and two distances between them. Divides a matrix by its largest
 * entry first, so that no square overflows, and adds that entry's logarithm back at the end.
 */
import { Result } from "effect"
import {
  CholeskyDecomposition,
  EigenvalueDecomposition,
  Matrix,
  SingularValueDecomposition,
  solve
} from "ml-matrix"
import { bounds } from "../../wire/products/manifold.ts"

export interface Spd {
  readonly dimension: number
  /** In ascending order. */
  readonly eigenvalues: ReadonlyArray<number>
  readonly condition: number
  /**
   * The upper triangle of the logarithm, row by row, with off-diagonal entries times √2. The Euclidean distance of two
   * embeddings is then the Frobenius norm of the difference of the logarithms.
   */
  readonly embedding: ReadonlyArray<number>
  /** Cholesky factor (lower triangle) of the scaled matrix, and the logarithm of the scale. */
  readonly lower: Matrix
  readonly logScale: number
}

/** Validates rows of finite numbers; the failure says what is wrong. */
export const spdOf = (rows: ReadonlyArray<ReadonlyArray<number>>): Result.Result<Spd, string> => {
  const fault = shapeFault(rows)
  if (fault !== undefined) return Result.fail(fault)
  const n = rows.length
  const entry = (i: number, j: number) => rows[i]?.[j] ?? 0
  const largest = rows.flat().reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  if (largest > bounds.entry)
    return Result.fail(`an entry is larger than ${bounds.entry}; rescale the matrices`)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      if (Math.abs(entry(i, j) - entry(j, i)) > bounds.asymmetry * largest) {
        return Result.fail(
          `it is not symmetric: [${i}][${j}] is ${entry(i, j)} and [${j}][${i}] is ${entry(j, i)}; ` +
            `they may differ by at most ${bounds.asymmetry} of the largest entry`
        )
      }
    }
  }
  const scale = largest === 0 ? 1 : largest
  const scaled = cleared(
    new Matrix(rows.map((row, i) => row.map((_, j) => (entry(i, j) / scale + entry(j, i) / scale) / 2)))
  )
  const { eigenvectorMatrix: vectors, realEigenvalues } = new EigenvalueDecomposition(scaled, {
    assumeSymmetric: true
  })
  const least = Math.min(...realEigenvalues)
  const most = Math.max(...realEigenvalues)
  if (least <= n * Number.EPSILON * most) {
    return Result.fail(
      `it is not positive definite: its smallest eigenvalue is ${Number((least * scale).toPrecision(6))}, which is not above 0 within rounding`
    )
  }
  const condition = most / least
  if (condition > bounds.condition) {
    return Result.fail(
      `it is ill-conditioned: its largest eigenvalue is ${condition.toPrecision(3)} times its smallest; ` +
        `up to ${bounds.condition} is taken`
    )
  }
  const logScale = Math.log(scale)
  const logarithm = vectors.mmul(Matrix.diag(realEigenvalues.map(Math.log))).mmul(vectors.transpose())
  const embedding: Array<number> = []
  for (let i = 0; i < n; i++) {
    embedding.push(logarithm.get(i, i) + logScale)
    for (let j = i + 1; j < n; j++) embedding.push(Math.SQRT2 * logarithm.get(i, j))
  }
  return Result.succeed({
    dimension: n,
    eigenvalues: realEigenvalues.map((value) => value * scale).sort((a, b) => a - b),
    condition,
    embedding,
    lower: new CholeskyDecomposition(scaled).lowerTriangularMatrix,
    logScale
  })
}

/** Zeroes entries far below rounding: denormals cost the decompositions accuracy. */
const cleared = (matrix: Matrix): Matrix =>
  new Matrix(matrix.to2DArray().map((row) => row.map((value) => (Math.abs(value) < 1e-30 ? 0 : value))))

const shapeFault = (rows: ReadonlyArray<ReadonlyArray<number>>): string | undefined => {
  const n = rows.length
  if (n === 0) return "it has no rows"
  if (n > bounds.dimension) return `it has ${n} rows; at most ${bounds.dimension} are taken`
  const width = rows[0]?.length ?? 0
  const ragged = rows.findIndex((row) => row.length !== width)
  if (ragged > 0) {
    return `it is ragged: row 0 has ${width} entries and row ${ragged} has ${rows[ragged]?.length}`
  }
  return width === n ? undefined : `it is not square: it has ${n} rows of ${width} entries`
}

/** ‖log A - log B‖ in the Frobenius norm. */
export const logEuclidean = (a: Spd, b: Spd): number =>
  Math.hypot(...a.embedding.map((value, i) => value - (b.embedding[i] ?? 0)))

/**
 * The root of the sum of ln² of the eigenvalues of A⁻¹B. These are the squares of the singular values of L⁻¹M, where
 * A = LLᵀ and B = MMᵀ; singular values span half the orders of magnitude, so small ones stay accurate.
 */
export const affineInvariant = (a: Spd, b: Spd): number => {
  const { diagonal } = new SingularValueDecomposition(cleared(solve(a.lower, b.lower)), {
    computeLeftSingularVectors: false,
    computeRightSingularVectors: false
  })
  return Math.hypot(...diagonal.map((value) => 2 * Math.log(value) + (b.logScale - a.logScale)))
}
