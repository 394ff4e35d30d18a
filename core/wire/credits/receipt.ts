/** Purchases and receipts. */
import { Schema } from "effect"
import { takesKnownAt } from "../products/pointInTime.ts"
import { CheckpointName, Commitment } from "./checkpointName.ts"
import { Coverage } from "./coverage.ts"
import { ofTestMode, Usd } from "./money.ts"
import { SaleWarranty, WarrantyPayment } from "./warranty.ts"

/** Other members are inputs of the product. */
export const PurchaseRequest = Schema.StructWithRest(
  Schema.Struct({
    product_key: Schema.String.annotate({ description: "a product key of /v1/credits/pricing" }),
    max_price_usd: Schema.optionalKey(
      Schema.NullOr(Schema.Union([Schema.Finite, Schema.String])).annotate({
        description: "your budget in USD; a higher price is refused and nothing is charged"
      })
    ),
    as_known_at: Schema.optionalKey(
      Schema.NullOr(Schema.String).annotate({
        description: `${takesKnownAt}, at the same price; products without a past refuse it`
      })
    ),
    min_as_of: Schema.optionalKey(
      Schema.NullOr(Schema.String).annotate({
        description:
          "pay only if fresh: the oldest `as_of` you accept (ISO 8601 in UTC). If any value of the data is older, the answer is 412 and nothing is charged"
      })
    ),
    inputs: Schema.optionalKey(
      Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)).annotate({
        description:
          "inputs of the product, as its section of /v1/credits/pricing lists them; they can also be sent at the top level"
      })
    )
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

const payloadHash = Schema.String.annotate({
  description: "SHA-256 of `data` as sent (its RFC 8785 bytes), lower-case hex"
})

const receiptFields = {
  purchase_id: Schema.String.annotate({ description: "Purchase id" }),
  product_key: Schema.String.annotate({ description: "The product" }),
  price: Usd,
  payload_sha256: payloadHash,
  purchased_at: Schema.String.annotate({ format: "date-time", description: "ISO 8601 in UTC" }),
  checkpoint: Schema.NullOr(CheckpointName).annotate({
    description: "The newest checkpoint of the log at that time; null if there was none"
  })
}

export const PurchaseItem = Schema.Struct(receiptFields).annotate({ identifier: "PurchaseItem" })

export const PurchaseList = Schema.Struct({
  purchases: Schema.Array(PurchaseItem).annotate({ description: "Newest first" }),
  next_cursor: Schema.optionalKey(Schema.String.annotate({ description: "Cursor of the next page" }))
}).annotate({ identifier: "PurchaseList" })

export const Receipt = Schema.Struct({
  ...ofTestMode,
  ...receiptFields,
  commitment: Schema.optionalKey(Commitment),
  warranty: Schema.optionalKey(SaleWarranty),
  warranty_payment: Schema.optionalKey(WarrantyPayment),
  part: Schema.optionalKey(
    Schema.Struct({
      symbols: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Networks" })),
      metrics: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Metrics" }))
    }).annotate({
      description: "Which part `data` is, if it is one; `payload_sha256` is of the whole"
    })
  ),
  data: Schema.optionalKey(
    Schema.Unknown.annotate({
      description: "With include=data: the same bytes as delivered"
    })
  )
}).annotate({ identifier: "Receipt" })

export const PurchaseResult = Schema.Struct({
  ...ofTestMode,
  status: Schema.Literal("purchased").annotate({ description: "The purchase is complete" }),
  price_paid: Usd,
  remaining_balance: Usd,
  delivery: Schema.Literal("inline").annotate({ description: "The payload is in this response" }),
  purchase_id: Schema.String.annotate({
    description: "Purchase id; use it to get the receipt and the data again"
  }),
  product_key: Schema.String.annotate({ description: "The product" }),
  payload_sha256: payloadHash,
  purchased_at: receiptFields.purchased_at,
  checkpoint: receiptFields.checkpoint,
  commitment: Schema.optionalKey(Commitment),
  warranty: Schema.optionalKey(SaleWarranty),
  data: Schema.Unknown.annotate({ description: "The product data" })
}).annotate({ identifier: "PurchaseResult" })

/** What a purchase would do, without doing it. */
export const PurchaseDryRun = Schema.Struct({
  ...ofTestMode,
  status: Schema.Literal("dry_run").annotate({ description: "Nothing was bought or charged" }),
  product_key: receiptFields.product_key,
  price: Usd,
  credits_balance: Usd,
  would_be_bought: Schema.Boolean.annotate({ description: "True if the same request would be bought now" }),
  refusal: Schema.optionalKey(
    Schema.Struct({
      error: Schema.String.annotate({ description: "Name of the error" }),
      message: Schema.String.annotate({ description: "Why it would be refused" })
    }).annotate({ description: "Present if the same request would be refused now" })
  ),
  payload_bytes: Schema.optionalKey(
    Schema.Natural.annotate({ description: "Length of the payload as it would be delivered now" })
  ),
  covers: Schema.optionalKey(Coverage),
  warranty: Schema.optionalKey(
    Schema.String.annotate({ description: "What is promised of it, in words; absent if nothing is" })
  )
}).annotate({ identifier: "PurchaseDryRun", description: "What a purchase would do" })

export const HowToTopUp = Schema.Struct({
  card: Schema.optionalKey(
    Schema.String.annotate({ description: "By card; absent if cards are not accepted" })
  ),
  stablecoin: Schema.optionalKey(
    Schema.String.annotate({ description: "By stablecoin; absent if stablecoins are not accepted" })
  ),
  note: Schema.optionalKey(Schema.String.annotate({ description: "What to do if neither is accepted" })),
  pricing: Schema.String.annotate({ description: "Where to find the prices" })
}).annotate({ identifier: "HowToTopUp" })
