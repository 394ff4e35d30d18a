/** The warranty of a sale, and what is paid back by it. */
import { Schema } from "effect"
import { Usd } from "./money.ts"

const text = (description: string) => Schema.String.annotate({ description })
const whole = (description: string) => Schema.Int.annotate({ description })
const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

const sold = {
  days: whole("A revision or an incident counts that the record has within so many days of the sale"),
  greatest_age_hours: whole(
    "A value counts that has an `as_of` of its own and was at most so old at the sale"
  ),
  says: text("The whole promise in words")
}

const promise = {
  ...sold,
  share_percent: whole("Percent of the price that is paid back, once for each sale"),
  most_per_sale_usd: Usd,
  most_per_day_usd: Usd,
  most_in_total_usd: Usd
}

export const WarrantyPromise = Schema.Struct(promise).annotate({
  identifier: "WarrantyPromise",
  description: "What is paid back if a sold value is revised or excluded. Absent where nothing is promised"
})
export interface WarrantyPromise extends Schema.Schema.Type<typeof WarrantyPromise> {}

export const ListedWarranty = Schema.Struct({
  says: sold.says,
  products: Schema.Array(Schema.String).annotate({ description: "Keys of the products that have it" })
}).annotate({
  identifier: "ListedWarranty",
  description: "The warranty of products"
})

export const SaleWarranty = Schema.Struct({
  ...sold,
  until: time("When it ends, ISO 8601 in UTC"),
  pays_usd: Usd,
  rows: Schema.Struct({
    size: whole("Values that it covers, at most the first 5,000"),
    root: text("Root of the Merkle tree (RFC 9162) over them, hex; `plumbline verify receipt` computes it")
  }).annotate({ description: "The values that it covers" })
}).annotate({
  identifier: "SaleWarranty",
  description: "The promise that this sale was made with. Absent if nothing was promised of it"
})
export interface SaleWarranty extends Schema.Schema.Type<typeof SaleWarranty> {}

export const SignedWarranty = Schema.Struct({
  ...SaleWarranty.fields,
  v: text("Tag of the statement"),
  purchase_id: text("Id of the sale"),
  payload_sha256: text("SHA-256 of `data`"),
  simulated: Schema.optionalKey(Schema.Literal(true)).annotate({ description: "In the demo only" }),
  kid: text("The key for answers that signed it, which also signed the receipt"),
  signature: text("`ed25519:` and the signature, hex, of the canonical JSON of the other members")
}).annotate({
  identifier: "SignedWarranty",
  description:
    "The promise that this sale was made with, signed: `plumbline verify receipt` checks it. Absent if nothing was promised of it"
})

export const PaymentState = Schema.Literals(["due", "stopped", "paid"]).annotate({
  description: "`stopped`: at a ceiling, until the operator decides"
})

const payment = {
  amount_usd: Usd,
  state: PaymentState,
  because: text("What the record says of which value"),
  proof: text("Path of the document that says so"),
  at: time("When it was paid, or became due while it is not paid")
}

export const WarrantyPayment = Schema.Struct(payment).annotate({
  identifier: "WarrantyPayment",
  description: "What is paid back of this purchase"
})
export interface WarrantyPayment extends Schema.Schema.Type<typeof WarrantyPayment> {}

export const WalletWarranty = Schema.Struct({
  wallet: text("The address that paid"),
  owed_usd: Usd,
  paid_usd: Usd,
  claim: text("How what is owed is paid"),
  payments: Schema.Array(
    Schema.Struct({
      purchase_id: text("Id of the sale"),
      ...payment
    })
  ).annotate({ description: "One for each sale, the newest 200" })
}).annotate({ identifier: "WalletWarranty" })
