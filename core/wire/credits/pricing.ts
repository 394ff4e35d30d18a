/** `/v1/credits/pricing`. */
import { Schema } from "effect"
import { Usd } from "./money.ts"

export const SectionStatus = Schema.Literals(["available", "not_built", "withdrawn"])

export const Section = Schema.Struct({
  price_usd: Usd,
  status: SectionStatus.annotate({
    description: "not_built and withdrawn: a purchase answers 503 and charges nothing"
  }),
  content: Schema.String.annotate({ description: "What is delivered" }),
  per_query_usd: Schema.optionalKey(
    Usd.annotate({ description: "Listed price per query: metered by x402 and subscriptions, never debited" })
  ),
  x402_usd: Schema.optionalKey(Usd.annotate({ description: "Price per request without an account" })),
  inputs: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({
      description:
        "Optional members of the purchase's `inputs`, or of its body beside product_key, and what each takes"
    })
  ),
  note: Schema.optionalKey(Schema.String.annotate({ description: "What to know before buying" }))
}).annotate({ identifier: "PricingSection", description: "One product" })

/** `sections` has exactly the product keys. */
export const Pricing = Schema.Struct({
  currency: Schema.Literal("USD").annotate({ description: "All prices are in it" }),
  credit: Schema.String.annotate({ description: "What a credit is worth" }),
  sections: Schema.Record(Schema.String, Section).annotate({ description: "Product key to its listing" }),
  packs: Schema.Struct({
    card_usd: Schema.Array(Usd).annotate({ description: "Amounts of a card top-up" }),
    one_shot_usd: Usd
  }).annotate({ description: "What a card can pay" }),
  tiers: Schema.Array(
    Schema.Struct({
      tier: Schema.String.annotate({ description: "Name of the tier" }),
      sku: Schema.optionalKey(Schema.String.annotate({ description: "Its name in an order" })),
      price_usd: Schema.optionalKey(Usd),
      per: Schema.optionalKey(
        Schema.Literals(["month", "year"]).annotate({
          description: "What the price is for; absent where there is none"
        })
      ),
      from: Schema.optionalKey(Schema.Boolean.annotate({ description: "The price is the least one" })),
      contents: Schema.String.annotate({ description: "What the tier opens" })
    })
  ).annotate({ description: "Subscriptions" }),
  other_prices: Schema.Struct({
    per_query_usd: Schema.Record(Schema.String, Usd).annotate({ description: "Address to its listed price" }),
    per_query_note: Schema.String.annotate({
      description: "What those prices are, and those of an MCP query and an encoder request"
    }),
    mcp_query_usd: Usd,
    matrix_encoder_request_usd: Usd,
    matrix_encoder_free_per_day: Schema.Int.annotate({ description: "Requests a day without a key" })
  }).annotate({ description: "Prices that are no product's" })
}).annotate({ identifier: "Pricing", description: "What is sold, and for how much" })
