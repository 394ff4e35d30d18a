/** `dag_manifold_30d`: a key of the encoder API. */
import { Schema } from "effect"
import { head, natural, words } from "./payload.ts"

export const DagManifold = Schema.Struct({
  ...head,
  api_key: words("Send it as X-API-Key to the endpoint; it opens nothing else"),
  endpoint: words("The encoder API"),
  queries_per_day: natural("Queries of one UTC day"),
  valid_days: natural("Days from `purchased_at` of the purchase, after which the key has ended")
}).annotate({ identifier: "DagManifold", description: "A key of the encoder API" })
export interface DagManifold extends Schema.Schema.Type<typeof DagManifold> {}
