/** `dag_manifold_30d`: a key for the encoder API. */
import { Effect } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import { EncoderKeys } from "../../credits/EncoderKeys.ts"
import type { Product } from "../../credits/Product.ts"
import { encoder } from "../../credits/pricing.ts"
import { isoTime } from "../../plugin/Value.ts"
import { methodology } from "../manifold/methodology.ts"
import { ofWords } from "../shared/coverage.ts"
import definition, { type DagManifold } from "./definition.ts"

const sale = Effect.map(
  EncoderKeys,
  (keys): Product => ({
    key: definition.key,
    covers: () => Effect.succeed(ofWords(`A key to the encoder API for ${encoder.keyDays} days; no data`)),
    build: ({ id }) =>
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
    grant: ({ id }) => keys.open(id),
    secret: keys.ofPurchase
  })
)

export default { sale }
