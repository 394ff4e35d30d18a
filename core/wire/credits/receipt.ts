/** What a purchase looks like. */
import { Schema } from "effect"
import { CheckpointName } from "./checkpointName.ts"
import { Usd } from "./money.ts"

/** Other members are inputs of the product, too. */
export const PurchaseRequest = Schema.StructWithRest(
  Schema.Struct({
    product_key: Schema.String.annotate({ description: "A section key of /v1/credits/pricing" }),
    inputs: Schema.optionalKey(
      Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)).annotate({
        description:
          "What the product takes, as `inputs` of its section says; members may also be sent beside it"
      })
    )
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

const payloadHash = Schema.String.annotate({
  description: "SHA-256 of the member `data` as sent: its RFC 8785 bytes, lower-case hex"
})

const receiptFields = {
  purchase_id: Schema.String.annotate({ description: "Id of the purchase" }),
  product_key: Schema.String.annotate({ description: "What was bought" }),
  price: Usd,
  payload_sha256: payloadHash,
  purchased_at: Schema.String.annotate({ format: "date-time", description: "ISO 8601 in UTC" }),
  checkpoint: Schema.NullOr(CheckpointName).annotate({
    description: "The newest checkpoint of the log at that time; null before the first"
  })
}

export const PurchaseItem = Schema.Struct(receiptFields).annotate({ identifier: "PurchaseItem" })

export const PurchaseList = Schema.Struct({
  purchases: Schema.Array(PurchaseItem).annotate({ description: "Newest first" }),
  next_cursor: Schema.optionalKey(Schema.String.annotate({ description: "Where the next page begins" }))
}).annotate({ identifier: "PurchaseList" })

export const Receipt = Schema.Struct({
  ...receiptFields,
  data: Schema.optionalKey(
    Schema.Unknown.annotate({ description: "With include=data: the same bytes again" })
  )
}).annotate({ identifier: "Receipt" })

export const PurchaseResult = Schema.Struct({
  status: Schema.Literal("purchased").annotate({ description: "The sale is done" }),
  price_paid: Usd,
  remaining_balance: Usd,
  delivery: Schema.Literal("inline").annotate({ description: "The payload is in this answer" }),
  purchase_id: Schema.String.annotate({
    description: "Id of the purchase: gives the receipt, and the data again"
  }),
  product_key: Schema.String.annotate({ description: "What was bought" }),
  payload_sha256: payloadHash,
  purchased_at: receiptFields.purchased_at,
  checkpoint: receiptFields.checkpoint,
  data: Schema.Unknown.annotate({ description: "The product" })
}).annotate({ identifier: "PurchaseResult" })

export const HowToTopUp = Schema.Struct({
  card: Schema.optionalKey(
    Schema.String.annotate({ description: "By card; absent where cards are not taken" })
  ),
  stablecoin: Schema.optionalKey(
    Schema.String.annotate({ description: "By stablecoin; absent where none is taken" })
  ),
  note: Schema.optionalKey(Schema.String.annotate({ description: "What to do where neither is taken" })),
  pricing: Schema.String.annotate({ description: "Where the prices stand" })
}).annotate({ identifier: "HowToTopUp" })
