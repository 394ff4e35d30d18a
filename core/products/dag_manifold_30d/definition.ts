/** `dag_manifold_30d`: a key for the encoder API. */
import { Schema } from "effect"
import { head, natural, textField } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const DagManifold = Schema.Struct({
  ...head,
  api_key: textField("Send it to the endpoint as X-API-Key; it works nowhere else"),
  endpoint: textField("The encoder API"),
  queries_per_day: natural("Queries allowed per UTC day"),
  valid_days: natural("Days the key is valid, counted from the purchase's `purchased_at`")
}).annotate({ identifier: "DagManifold", description: "A key for the encoder API" })
export interface DagManifold extends Schema.Schema.Type<typeof DagManifold> {}

export default define({
  key: "dag_manifold_30d",
  title: "DAG manifold 30d",
  schema: DagManifold,
  onlyNow: "it delivers a key and no data",
  sale: {
    content: "30 days of elevated access to the manifold-distance API (1,000 queries per day), key inline",
    price: "99"
  }
})
