/** `dag_manifold_30d`: a key of the encoder API (spec 2.10). */
import { Effect, Schema } from "effect"
import { EncoderKeys } from "../credits/EncoderKeys.ts"
import type { Product } from "../credits/Product.ts"
import { encoder } from "../credits/pricing.ts"
import * as DataClock from "../data/DataClock.ts"
import { isoTime } from "../plugin/Value.ts"
import { product } from "./define.ts"
import { head, natural, words } from "./inputs.ts"
import { methodology } from "./manifold/distance.ts"

export const DagManifold = Schema.Struct({
  ...head,
  api_key: words("Send it as X-API-Key to the endpoint; it opens nothing else"),
  endpoint: words("The encoder API"),
  queries_per_day: natural("Queries of one UTC day"),
  valid_days: natural("Days from `purchased_at` of the purchase, after which the key has ended")
}).annotate({ identifier: "DagManifold", description: "A key of the encoder API" })
export interface DagManifold extends Schema.Schema.Type<typeof DagManifold> {}

export const dagManifold = Effect.gen(function* () {
  const keys = yield* EncoderKeys
  const made = yield* product(
    "dag_manifold_30d",
    ({ id }) =>
      Effect.map(
        DataClock.now,
        (now): DagManifold => ({
          generated_utc: isoTime(now),
          api_key: keys.ofPurchase(id),
          endpoint: "POST /v1/manifold/distance",
          queries_per_day: encoder.keyPerDay,
          valid_days: encoder.keyDays,
          methodology: methodology([])
        })
      ),
    { holds: () => true, grant: ({ id }) => keys.open(id) }
  )
  return { ...made, secret: keys.ofPurchase } satisfies Product
})
