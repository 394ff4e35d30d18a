/** The encoder API (`POST /v1/manifold/distance`). */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"
import { figure, head, natural } from "./payload.ts"

/** What is taken of a matrix. */
export const bounds = {
  dimension: 32,
  entry: 1e150,
  /** Of two entries that mirror each other, over the largest entry. */
  asymmetry: 1e-9,
  /** Largest over smallest eigenvalue: up to this the logarithms hold to about 1e-7. */
  condition: 1e8
} as const

export const most = { points: 8, metrics: 8, days: 30 } as const

const metricNames = Schema.Array(Schema.String).annotate({
  description: `With network: 1 to ${most.metrics} metrics of /v1/data-dictionary, whose order is that of the rows`
})

export const ManifoldRequest = Schema.Struct({
  points: Schema.Array(
    Schema.Struct({
      matrix: Schema.optionalKey(
        Schema.Array(Schema.Array(Schema.Finite)).annotate({
          description: `Rows of a symmetric positive definite matrix, at most ${bounds.dimension} of them`
        })
      ),
      network: Schema.optionalKey(
        Schema.String.annotate({
          description:
            "In place of matrix: a symbol of /v1/networks; the point is the covariance of its metrics"
        })
      ),
      metrics: Schema.optionalKey(metricNames),
      days: Schema.optionalKey(
        Schema.Int.annotate({
          description: `With network: days before today that are looked at, 10 to ${most.days} (${most.days} without it)`
        })
      )
    }).annotate({ description: "A matrix, or a network and its metrics" })
  ).annotate({ description: `1 to ${most.points} points of one dimension` })
}).annotate({ identifier: "ManifoldRequest", description: "Points of the manifold" })
export interface ManifoldRequest extends Schema.Schema.Type<typeof ManifoldRequest> {}

const index = natural("Place in the request's points, from 0")

const numbers = (description: string) =>
  Schema.NullOr(Schema.Array(Schema.Finite)).annotate({ description: `${description}; null where withheld` })

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
            description: "UTC days on which every metric was measured, oldest first: those that count"
          }),
          series: Schema.Array(
            Schema.Struct({
              metric: described.metric,
              source: described.source,
              unit: described.unit,
              verify_url: described.verify_url,
              as_of: described.as_of,
              simulated: described.simulated
            }).annotate({ identifier: "ManifoldSeries", description: "A daily series that was used" })
          ).annotate({
            description: "The series of /v1/history, for the metrics that have one in the window"
          }),
          covariance: Schema.NullOr(Schema.Array(Schema.Array(Schema.Finite))).annotate({
            description: "Covariance of the logarithms of the daily values; null where the days are too few"
          })
        }).annotate({ identifier: "ManifoldNetwork", description: "What the point was measured from" })
      ),
      eigenvalues: numbers("Eigenvalues, least first"),
      condition: figure("Largest eigenvalue over the smallest; null where withheld"),
      embedding: numbers("Upper triangle of the logarithm, row by row, entries off the diagonal times √2"),
      withheld: Schema.NullOr(Schema.String).annotate({
        description:
          "Why the measurements give no matrix; null where they do, and for a matrix of the request"
      })
    }).annotate({ identifier: "ManifoldEmbedding", description: "One point" })
  ).annotate({ description: "In the order of the request" }),
  distances: Schema.Array(
    Schema.Struct({
      a: index,
      b: index,
      log_euclidean: figure("Log-Euclidean distance; null where a point is withheld"),
      affine_invariant: figure("Affine-invariant distance; null where a point is withheld")
    }).annotate({ identifier: "ManifoldPair", description: "Two points" })
  ).annotate({ description: "Every pair, by a, then b" })
}).annotate({
  identifier: "ManifoldDistance",
  description: "Embeddings of the points and distances between them"
})
export interface ManifoldDistance extends Schema.Schema.Type<typeof ManifoldDistance> {}
