/** Payment per request: the offer and the sale. */
import { Schema } from "effect"
import { CheckpointName, Commitment } from "./checkpointName.ts"
import { ofTestMode, Usd } from "./money.ts"
import { SignedWarranty } from "./warranty.ts"

const says = (description: string) => ({ description })

export const Requirements = Schema.Struct({
  scheme: Schema.Literal("exact").annotate({ description: "Scheme of the payment" }),
  network: Schema.String.annotate(says("CAIP-2 name of the chain")),
  amount: Schema.String.annotate(says("In the token's smallest unit; USDC has 6 decimals")),
  asset: Schema.String.annotate(says("Address of the token")),
  payTo: Schema.String.annotate(says("Recipient address")),
  maxTimeoutSeconds: Schema.Int.annotate({ description: "Maximum seconds until settlement" }),
  extra: Schema.Struct({
    name: Schema.String.annotate({ description: "Name of the token's EIP-712 domain" }),
    version: Schema.String.annotate({ description: "Version of that domain" })
  }).annotate(says("The token's EIP-712 domain"))
}).annotate({ identifier: "PaymentRequirements", description: "One way to pay" })
export interface Requirements extends Schema.Schema.Type<typeof Requirements> {}

export const Resource = Schema.Struct({
  url: Schema.String.annotate({ description: "URL" }),
  description: Schema.String.annotate({ description: "What it contains" }),
  mimeType: Schema.String.annotate({ description: "Media type of the answer" })
}).annotate({ identifier: "X402Resource", description: "What is paid for" })

export const BodyRequirements = Schema.Struct({
  ...Requirements.fields,
  network: Schema.String.annotate(
    says("Name of the chain in version 1, such as `base`; the header has its CAIP-2 name")
  ),
  maxAmountRequired: Schema.String.annotate(says("`amount`, as version 1 calls it")),
  resource: Schema.String.annotate(says("URL of what is paid for")),
  description: Schema.String.annotate(says("What it contains")),
  mimeType: Schema.String.annotate(says("Media type of the answer"))
}).annotate({
  identifier: "PaymentRequirementsOfBothVersions",
  description: "One way to pay, with the members of x402 version 1 and 2"
})
export interface BodyRequirements extends Schema.Schema.Type<typeof BodyRequirements> {}

export const SaleResult = Schema.Struct({
  ...ofTestMode,
  status: Schema.Literal("purchased").annotate({ description: "The sale is complete" }),
  price_paid: Usd,
  delivery: Schema.Literal("inline").annotate({ description: "The payload is in this response" }),
  purchase_id: Schema.String.annotate({ description: "Id of the sale" }),
  product_key: Schema.String.annotate({ description: "The product" }),
  payload_sha256: Schema.String.annotate({
    description: "SHA-256 of `data` as sent (its RFC 8785 bytes), lower-case hex"
  }),
  purchased_at: Schema.String.annotate({ format: "date-time", description: "ISO 8601 in UTC" }),
  checkpoint: Schema.NullOr(CheckpointName).annotate({
    description: "The newest checkpoint of the log at that time; null if there was none"
  }),
  commitment: Schema.optionalKey(Commitment),
  warranty: Schema.optionalKey(SignedWarranty),
  payment: Schema.Struct({
    scheme: Schema.Literal("exact").annotate({ description: "Scheme of the payment" }),
    network: Schema.String.annotate({ description: "CAIP-2 name of the chain" }),
    asset: Schema.String.annotate({ description: "Address of the token" }),
    amount: Schema.String.annotate({ description: "Smallest units of the token" }),
    payer: Schema.String.annotate({ description: "Payer address" }),
    pay_to: Schema.String.annotate({ description: "Recipient address" }),
    nonce: Schema.String.annotate({ description: "Nonce of the authorization" }),
    transaction: Schema.String.annotate({ description: "Hash of the transaction that moved the money" })
  }).annotate({ description: "The payment as it settled" }),
  receipt: Schema.Struct({
    format: Schema.Literal("jws").annotate({ description: "Form of the signature" }),
    signature: Schema.String.annotate({
      description:
        "Compact JWS (EdDSA) by the key for answers. Its payload names resource, payer, transaction, amount, " +
        "`payload_sha256` and checkpoint; `plumbline verify receipt` checks it offline"
    })
  }).annotate({ description: "Signed receipt, as in the x402 extension `offer-receipt`" }),
  data: Schema.Unknown.annotate({ description: "The product data" })
}).annotate({ identifier: "X402Sale" })

export const HowToPay = Schema.Struct({
  steps: Schema.Array(Schema.String).annotate({ description: "What to do, in order" }),
  spending_cap: Schema.String.annotate({
    description: "How to let a client pay this price if its default spending limit is lower"
  }),
  retry: Schema.String.annotate({ description: "What to do if the response is lost" }),
  mpp: Schema.Struct({
    method: Schema.Literal("evm").annotate({ description: "Payment method of the challenge" }),
    intent: Schema.Literal("charge").annotate({ description: "Intent of the challenge" }),
    steps: Schema.Array(Schema.String).annotate({ description: "What to do, in order" })
  }).annotate({
    description:
      "The same sale by HTTP authentication (MPP, the scheme `Payment`), instead of the steps of x402"
  })
}).annotate({ identifier: "HowToPay" })
