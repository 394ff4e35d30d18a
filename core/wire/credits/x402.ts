/** Payment per request: an offer, and a sale. */
import { Schema } from "effect"
import { CheckpointName } from "./checkpointName.ts"
import { Usd } from "./money.ts"

const says = (description: string) => ({ description })

export const Requirements = Schema.Struct({
  scheme: Schema.Literal("exact").annotate({ description: "Scheme of the payment" }),
  network: Schema.String.annotate(says("CAIP-2 name of the chain")),
  amount: Schema.String.annotate(says("In the token's smallest unit; USDC has 6 decimals")),
  asset: Schema.String.annotate(says("Address of the token")),
  payTo: Schema.String.annotate(says("Address that is paid")),
  maxTimeoutSeconds: Schema.Int.annotate({ description: "Seconds that the settlement may take" }),
  extra: Schema.Struct({
    name: Schema.String.annotate({ description: "Name of the token's EIP-712 domain" }),
    version: Schema.String.annotate({ description: "Version of that domain" })
  }).annotate(says("The token's EIP-712 domain"))
}).annotate({ identifier: "PaymentRequirements", description: "One way to pay" })
export interface Requirements extends Schema.Schema.Type<typeof Requirements> {}

export const Resource = Schema.Struct({
  url: Schema.String.annotate({ description: "Its address" }),
  description: Schema.String.annotate({ description: "What it is, in words" }),
  mimeType: Schema.String.annotate({ description: "Media type of the answer" })
}).annotate({ identifier: "X402Resource", description: "What is paid for" })

export const SaleResult = Schema.Struct({
  status: Schema.Literal("purchased").annotate({ description: "The sale is done" }),
  price_paid: Usd,
  delivery: Schema.Literal("inline").annotate({ description: "The payload is in this answer" }),
  purchase_id: Schema.String.annotate({ description: "Id of the sale" }),
  product_key: Schema.String.annotate({ description: "What was bought" }),
  payload_sha256: Schema.String.annotate({
    description: "SHA-256 of the member `data` as sent: its RFC 8785 bytes, lower-case hex"
  }),
  purchased_at: Schema.String.annotate({ format: "date-time", description: "ISO 8601 in UTC" }),
  checkpoint: Schema.NullOr(CheckpointName).annotate({
    description: "The newest checkpoint of the log at that time; null before the first"
  }),
  payment: Schema.Struct({
    scheme: Schema.Literal("exact").annotate({ description: "Scheme of the payment" }),
    network: Schema.String.annotate({ description: "Chain, as CAIP-2 names it" }),
    asset: Schema.String.annotate({ description: "Address of the token" }),
    amount: Schema.String.annotate({ description: "Smallest units of the token" }),
    payer: Schema.String.annotate({ description: "Who paid" }),
    pay_to: Schema.String.annotate({ description: "Who was paid" }),
    nonce: Schema.String.annotate({ description: "Nonce of the authorization" }),
    transaction: Schema.String.annotate({ description: "Hash of the transaction that moved the money" })
  }).annotate({ description: "The payment as it settled" }),
  data: Schema.Unknown.annotate({ description: "The product" })
}).annotate({ identifier: "X402Sale" })

export const HowToPay = Schema.Struct({
  steps: Schema.Array(Schema.String).annotate({ description: "What to do, in order" }),
  spending_cap: Schema.String.annotate({
    description: "How a client with its default settings is let pay this price"
  }),
  retry: Schema.String.annotate({ description: "What to do when an answer is lost" })
}).annotate({ identifier: "HowToPay" })
