/** The encoder API (`POST /v1/manifold/distance`). */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"
import { figure, head, natural } from "./payload.ts"

/** Limits on a matrix. */
export const bounds = {
  dimension: 32,
  entry: 1e150,
  /** Largest difference between mirrored entries, relative to the largest entry. */
  asymmetry: 1e-9,
  /** Largest over smallest eigenvalue: up to this, the logarithms are accurate to about 1e-7. */
  condition: 1e8
} as const

export const most = { points: 8, metrics: 8, days: 30 } as const

const metricNames = Schema.Array(Schema.String).annotate({
  description: `With network: 1 to ${most.metrics} metrics from /v1/data-dictionary; their order is the order of the rows`
})

export const ManifoldRequest = Schema.Struct({
  points: Schema.Array(
    Schema.Struct({
      matrix: Schema.optionalKey(
        Schema.Array(Schema.Array(Schema.Finite)).annotate({
          description: `Rows of a symmetric positive definite matrix, at most ${bounds.dimension}`
        })
      ),
      network: Schema.optionalKey(
        Schema.String.annotate({
          description:
            "Instead of matrix: a symbol from /v1/networks; the point is the covariance of its metrics"
        })
      ),
      metrics: Schema.optionalKey(metricNames),
      days: Schema.optionalKey(
        Schema.Int.annotate({
          description: `With network: days before today to include, 10 to ${most.days} (default ${most.days})`
        })
      )
    }).annotate({ description: "Either a matrix, or a network and its metrics" })
  ).annotate({ description: `1 to ${most.points} points of the same dimension` })
}).annotate({ identifier: "ManifoldRequest", description: "Points on the manifold" })
export interface ManifoldRequest extends Schema.Schema.Type<typeof ManifoldRequest> {}

const index = natural("Zero-based index in the request's points")

const numbers = (description: string) =>
  Schema.NullOr(Schema.Array(Schema.Finite)).annotate({ description: `${description}; null if withheld` })

export const ManifoldDistance = Schema.Struct({
  ...head,
  dimension: natural("Rows of each matrix"),
  points: Schema.Array(
    Schema.Struct({
      index,
      network: Schema.optionalKey(
        Schema.Struct({
          symbol: described.symbol,
          dates: Schema.Array(Schema.String.annotate({ format: "date" })).annotate({
            description: "UTC days with every metric measured, oldest first; only these are used"
          }),
          series: Schema.Array(
            Schema.Struct({
              metric: described.metric,
              source: described.source,
              unit: described.unit,
              verify_url: described.verify_url,
              as_of: described.as_of,
              simulated: described.simulated
            }).annotate({ identifier: "ManifoldSeries", description: "A daily series used for the point" })
          ).annotate({
            description: "The /v1/history series of each metric that has one in the window"
          }),
          covariance: Schema.NullOr(Schema.Array(Schema.Array(Schema.Finite))).annotate({
            description: "Covariance of the logarithms of the daily values; null if there are too few days"
          })
        }).annotate({ identifier: "ManifoldNetwork", description: "The measurements behind a network point" })
      ),
      eigenvalues: numbers("Eigenvalues in ascending order"),
      condition: figure("Largest eigenvalue over the smallest; null if withheld"),
      embedding: numbers(
        "Upper triangle of the matrix logarithm, row by row, with off-diagonal entries multiplied by √2"
      ),
      withheld: Schema.NullOr(Schema.String).annotate({
        description:
          "Why the measurements do not yield a matrix; null if they do, or if the request gave the matrix"
      })
    }).annotate({ identifier: "ManifoldEmbedding", description: "One point" })
  ).annotate({ description: "In the order of the request" }),
  distances: Schema.Array(
    Schema.Struct({
      a: index,
      b: index,
      log_euclidean: figure("Log-Euclidean distance; null if a point is withheld"),
      affine_invariant: figure("Affine-invariant distance; null if a point is withheld")
    }).annotate({ identifier: "ManifoldPair", description: "Two points" })
  ).annotate({ description: "Every pair, sorted by a, then b" })
}).annotate({
  identifier: "ManifoldDistance",
  description: "Embeddings of the points and the distances between them"
})
export interface ManifoldDistance extends Schema.Schema.Type<typeof ManifoldDistance> {}
