/** Statistics of our own, by other ways than those that the products take. */

/** Natural logarithm of the gamma function, after Lanczos (g = 7, nine terms). */
const logGamma = (x: number): number => {
  const terms = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
    -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7
  ]
  const t = x + 6.5
  const series = terms.reduce((sum, term, n) => sum + term / (x + n), 0.9999999999998099)
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series)
}

/** Two-sided p-value of Student's t: the tail of the incomplete beta function as a continued fraction, after Lentz. */
export const pValue = (r: number, n: number): number => {
  const [a, b, x] = [(n - 2) / 2, 0.5, 1 - r * r]
  if (x <= 0) return 0
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x))
  const fraction = (p: number, q: number, z: number): number => {
    let [c, d] = [1, 1 / (1 - ((p + q) * z) / (p + 1))]
    let result = d
    for (let m = 1; m < 10_000; m++) {
      const even = (m * (q - m) * z) / ((p + 2 * m - 1) * (p + 2 * m))
      d = 1 / (1 + even * d)
      c = 1 + even / c
      result *= d * c
      const odd = (-(p + m) * (p + q + m) * z) / ((p + 2 * m) * (p + 2 * m + 1))
      d = 1 / (1 + odd * d)
      c = 1 + odd / c
      result *= d * c
      if (Math.abs(d * c - 1) < 1e-15) break
    }
    return result
  }
  return x < (a + 1) / (a + b + 2) ? (front * fraction(a, b, x)) / a : 1 - (front * fraction(b, a, 1 - x)) / b
}

export const pearson = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): number => {
  const middle = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0) / values.length
  const [mx, my] = [middle(x), middle(y)]
  let [xy, xx, yy] = [0, 0, 0]
  for (const [n, value] of x.entries()) {
    const [dx, dy] = [value - mx, (y[n] ?? 0) - my]
    xy += dx * dy
    xx += dx * dx
    yy += dy * dy
  }
  return xy / Math.sqrt(xx * yy)
}

type Rows = ReadonlyArray<ReadonlyArray<number>>
const at = (rows: Rows, i: number, j: number): number => rows[i]?.[j] ?? 0

export const times = (a: Rows, b: Rows): Rows =>
  a.map((row) => (b[0] ?? []).map((_, j) => row.reduce((sum, value, k) => sum + value * at(b, k, j), 0)))

/** Eigenvalues of a symmetric matrix and the matrix of a function of them, by Jacobi's rotations. */
export const spectral = (rows: Rows, of: (eigenvalue: number) => number) => {
  const n = rows.length
  const a = rows.map((row) => [...row])
  const v = rows.map((_, i) => rows.map((_, j) => Number(i === j)))
  const turn = (
    m: Array<Array<number>>,
    i: number,
    j: number,
    p: number,
    q: number,
    s: number,
    c: number
  ) => {
    const [x, y] = [at(m, i, j), at(m, p, q)]
    m[i]?.splice(j, 1, c * x - s * y)
    m[p]?.splice(q, 1, s * x + c * y)
  }
  for (let sweep = 0; sweep < 60; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (at(a, p, q) === 0) continue
        const theta = (at(a, q, q) - at(a, p, p)) / (2 * at(a, p, q))
        const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
        const c = 1 / Math.sqrt(t * t + 1)
        const s = t * c
        for (let k = 0; k < n; k++) turn(a, k, p, k, q, s, c)
        for (let k = 0; k < n; k++) turn(a, p, k, q, k, s, c)
        for (let k = 0; k < n; k++) turn(v, k, p, k, q, s, c)
      }
    }
  }
  const eigenvalues = a.map((_, i) => at(a, i, i))
  const matrix = v.map((_, i) =>
    v.map((_, j) => eigenvalues.reduce((sum, value, k) => sum + at(v, i, k) * of(value) * at(v, j, k), 0))
  )
  return { eigenvalues, matrix }
}
