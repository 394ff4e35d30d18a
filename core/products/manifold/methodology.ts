/** How the distances of the encoder API are computed, and over what. */
import { bounds, most } from "../../wire/products/manifold.ts"
import type { Methodology } from "../../wire/products/payload.ts"

export const methodology = (fields: ReadonlyArray<string>): Methodology => ({
  formula:
    "log A = V diag(ln λ) Vᵀ where A = V diag(λ) Vᵀ; embedding = upper triangle of log A, with off-diagonal entries times √2; " +
    "log_euclidean = ‖log A - log B‖ (Frobenius), the Euclidean distance of the embeddings; " +
    "affine_invariant = √(Σ ln² μ) over the eigenvalues μ of A⁻¹B; " +
    "covariance[i][j] = Σ (x - mean x)(y - mean y) / (n - 1), x and y the natural logarithms of metrics i and j on the n dates",
  fields,
  rules: [
    "Log-Euclidean: Arsigny, Fillard, Pennec and Ayache, Magnetic Resonance in Medicine 56 (2006), 411-421. " +
      "Affine-invariant: Pennec, Fillard and Ayache, International Journal of Computer Vision 66 (2006), 41-66.",
    `A matrix has at most ${bounds.dimension} rows and no entry above ${bounds.entry}, is symmetric to ` +
      `${bounds.asymmetry} of its largest entry (mirrored entries are averaged), and its largest eigenvalue ` +
      `is at most ${bounds.condition} times its smallest; up to there the logarithms are accurate to about 1e-7.`,
    `A covariance covers the /v1/history points of at most ${most.days} days before today. Only days with ` +
      "every metric measured count; gaps are never filled in. It is withheld with fewer than 10 days or fewer than 2 days " +
      "per metric plus one, if a value is not above 0, or if the matrix breaks the rule above."
  ]
})
