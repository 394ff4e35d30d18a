/** `/v1/coverage`. */
import { Schema } from "effect"
import { described } from "./valueRow.ts"

export const CoverageResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  n_networks: Schema.Natural.annotate({ description: "Networks in the catalog, including subnets" }),
  n_covered: Schema.Natural.annotate({ description: "Networks that a feed measures first hand" }),
  not_covered: Schema.Record(Schema.String, Schema.String).annotate({
    description: "The other networks, with the reason by symbol; includes networks not yet investigated"
  })
}).annotate({
  identifier: "CoverageResponse",
  description: "Which networks are measured first hand, and why the others are not"
})
export interface CoverageResponse extends Schema.Schema.Type<typeof CoverageResponse> {}
