/** `/v1/credits/pricing`. */
import { Schema } from "effect"
import { Coverage } from "./coverage.ts"
import { ofTestMode, Usd } from "./money.ts"
import { TierIncludes } from "./tiers.ts"
import { ListedWarranty } from "./warranty.ts"

/** The ways to pay. */
export const WayToPay = Schema.Literals(["credits", "card", "stablecoin", "x402", "mpp"])
export type WayToPay = typeof WayToPay.Type

export const WayHere = Schema.Struct({
  available: Schema.Boolean.annotate({ description: "Whether this service takes it now" }),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why not; absent if it is available" }))
}).annotate({ identifier: "WayHere", description: "Whether one way to pay is open" })

/** Every way, open or not. */
export type WaysHere = Readonly<Record<WayToPay, typeof WayHere.Type>>

/** Kinds of callers. */
export const Buyer = Schema.Literals(["keyless", "key", "wallet"])
export type Buyer = typeof Buyer.Type

export const SectionStatus = Schema.Literals(["available", "not_built", "nothing_to_deliver", "withdrawn"])

export const Section = Schema.Struct({
  price_usd: Usd,
  status: SectionStatus.annotate({
    description:
      "available: it can be delivered, and `buyers` can pay it; not_built and withdrawn: a purchase returns 503 and charges nothing; nothing_to_deliver: neither is anything sold, as `covers` says"
  }),
  content: Schema.String.annotate({ description: "What the product contains" }),
  per_query_usd: Schema.optionalKey(
    Usd.annotate({
      description: "List price per query: metered by x402 and subscriptions, never debited from credits"
    })
  ),
  x402_usd: Schema.optionalKey(Usd.annotate({ description: "Price per request without an account" })),
  ways: Schema.Array(WayToPay).annotate({
    description: "The ways that are open now and reach its price"
  }),
  buyers: Schema.Array(Buyer).annotate({
    description:
      "Who can buy it now: `keyless`, with a free key or a card; `key`, with credits added; `wallet`, per request. Empty: nothing reaches its price"
  }),
  inputs: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({
      description:
        "Optional inputs and their values; send them in `inputs` or at the top level, next to product_key"
    })
  ),
  covers: Schema.optionalKey(Coverage),
  note: Schema.optionalKey(Schema.String.annotate({ description: "What to know before buying" }))
}).annotate({ identifier: "PricingSection", description: "One product" })

/** What subscriptions and exports read now. */
export const Reach = Schema.Struct({
  lists: Coverage.annotate({ description: "Latest values: lists, views and exports of every network" }),
  history: Coverage.annotate({ description: "Daily history of the headline metrics" }),
  archive: Schema.Struct({
    files: Schema.Natural.annotate({ description: "Published files" }),
    bytes: Schema.Natural.annotate({ description: "Bytes of all of them" }),
    first_day: Schema.optionalKey(
      Schema.String.annotate({ format: "date", description: "First day; absent if there is no file" })
    ),
    last_day: Schema.optionalKey(
      Schema.String.annotate({ format: "date", description: "Last day; absent if there is no file" })
    )
  }).annotate({ description: "Files of /v1/archive/" })
}).annotate({
  identifier: "SubscriptionCoverage",
  description: "What subscriptions and exports read now; each tier includes the part that its `includes` says"
})
export interface Reach extends Schema.Schema.Type<typeof Reach> {}

/** `sections` has exactly the product keys. */
export const Pricing = Schema.Struct({
  ...ofTestMode,
  currency: Schema.Literal("USD").annotate({ description: "Currency of all prices" }),
  credit: Schema.String.annotate({ description: "What a credit is worth" }),
  sections: Schema.Record(Schema.String, Section).annotate({ description: "Products by key" }),
  ways: Schema.Record(Schema.String, WayHere).annotate({
    description:
      "Every way to pay by name, and whether it is open now: `credits` pay products, `card` and `stablecoin` add credits, `x402` and `mpp` pay without an account"
  }),
  open: Schema.Struct({
    says: Schema.String.annotate({ description: "What is open to everybody, in words" }),
    paths: Schema.Array(Schema.String).annotate({
      description: "Paths of a closed day that need no key and have no limit of age"
    })
  }).annotate({ description: "What no tier sells" }),
  sold: Schema.String.annotate({ description: "What tiers sell, in words" }),
  packs: Schema.Struct({
    card_usd: Schema.Array(Usd).annotate({ description: "Card top-up amounts" }),
    one_shot_usd: Usd
  }).annotate({ description: "What a card can buy" }),
  tiers: Schema.Array(
    Schema.Struct({
      tier: Schema.String.annotate({ description: "Name of the tier" }),
      sku: Schema.optionalKey(Schema.String.annotate({ description: "Use it as `sku` in an order" })),
      price_usd: Schema.optionalKey(Usd),
      per: Schema.optionalKey(
        Schema.Literals(["month", "year"]).annotate({
          description: "Billing period; absent if there is no price"
        })
      ),
      from: Schema.optionalKey(
        Schema.Boolean.annotate({ description: "True if this is the starting price" })
      ),
      contents: Schema.String.annotate({ description: "What the tier includes, in words" }),
      includes: TierIncludes
    })
  ).annotate({ description: "Subscriptions" }),
  covers: Schema.optionalKey(Reach),
  warranty: Schema.optionalKey(ListedWarranty),
  other_prices: Schema.Struct({
    per_query_usd: Schema.Record(Schema.String, Usd).annotate({ description: "List price by path" }),
    per_query_at: Schema.Record(Schema.String, Schema.String).annotate({
      description: "By path, where one page of it is sold by x402"
    }),
    per_query_note: Schema.String.annotate({
      description: "How these prices apply, including to MCP queries and encoder requests"
    }),
    mcp_query_usd: Usd,
    matrix_encoder_request_usd: Usd,
    matrix_encoder_free_per_day: Schema.Int.annotate({ description: "Requests per day without a key" })
  }).annotate({ description: "Prices other than products" })
}).annotate({ identifier: "Pricing", description: "Products and prices" })
