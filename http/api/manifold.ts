/** The encoder API. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { KeyUnknown } from "../../core/wire/problems/accounts.ts"
import { BadParameter, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { ManifoldDistance, ManifoldRequest } from "../../core/wire/products/manifold.ts"
import { Sample } from "./Contract.ts"

export const ManifoldFamily = HttpApiGroup.make("manifold")
  .add(
    HttpApiEndpoint.post("distance", "/v1/manifold/distance", {
      headers: {
        "x-api-key": Schema.optionalKey(
          Schema.String.annotate({
            description:
              "the key of a dag_manifold_30d purchase (no other key works); omit it to use the free quota"
          })
        )
      },
      payload: ManifoldRequest,
      success: ManifoldDistance,
      error: [BadParameter, KeyUnknown, UnknownSymbol]
    })
      .annotate(Sample, {
        points: [
          {
            matrix: [
              [2, 0],
              [0, 1]
            ]
          },
          {
            matrix: [
              [1, 0.5],
              [0.5, 1]
            ]
          }
        ]
      })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Distances between covariance matrices",
          description:
            "Log-Euclidean and affine-invariant distances between symmetric positive definite matrices, and an embedding of " +
            "each matrix. Send matrices, or name a network to use the covariance of its metrics. 10 queries per day " +
            "without a key, 1,000 with the key that dag_manifold_30d delivers; rejected queries do not count."
        })
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Encoder",
      description: "Matrix computations, with separate quotas."
    })
  )
