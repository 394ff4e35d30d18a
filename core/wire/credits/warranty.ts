/** The warranty of a sale: what is promised before it, and what holds after it. */
import { Schema } from "effect"
import { Usd } from "./money.ts"

const sold = {
  days: Schema.Int.annotate({
    description: "A revision or an incident counts that the record has within so many days of the sale"
  }),
  greatest_age_hours: Schema.Int.annotate({
    description: "A value counts that has an `as_of` of its own and was at most so old at the sale"
  }),
  says: Schema.String.annotate({ description: "The whole promise in words" })
}

const promise = {
  ...sold,
  share_percent: Schema.Int.annotate({
    description: "Percent of the price that is paid back, once for each sale"
  }),
  most_per_sale_usd: Usd,
  most_per_day_usd: Usd,
  most_in_total_usd: Usd
}

export const WarrantyPromise = Schema.Struct(promise).annotate({
  identifier: "WarrantyPromise",
  description:
    "What is paid back if a sold value is revised or excluded afterwards. Absent where nothing is promised"
})
export interface WarrantyPromise extends Schema.Schema.Type<typeof WarrantyPromise> {}

/** For the price list: once, and not with each product. */
export const ListedWarranty = Schema.Struct({
  says: sold.says,
  products: Schema.Array(Schema.String).annotate({ description: "Keys of the products that have it" })
}).annotate({
  identifier: "ListedWarranty",
  description: "The warranty of products. Absent where none is given"
})

export const SaleWarranty = Schema.Struct({
  ...sold,
  until: Schema.String.annotate({ format: "date-time", description: "When it ends, ISO 8601 in UTC" }),
  pays_usd: Usd,
  rows: Schema.Struct({
    size: Schema.Int.annotate({ description: "Values that it covers, at most the first 5,000 of the data" }),
    root: Schema.String.annotate({
      description:
        "Root of the Merkle tree (RFC 9162) over them, lower-case hex; `plumbline verify receipt` computes it again"
    })
  }).annotate({ description: "The values that it covers" })
}).annotate({
  identifier: "SaleWarranty",
  description: "The promise that this sale was made with. Absent if nothing was promised of it"
})
export interface SaleWarranty extends Schema.Schema.Type<typeof SaleWarranty> {}

const payment = {
  amount_usd: Usd,
  state: Schema.Literals(["due", "stopped", "sending", "paid"]).annotate({
    description:
      "`stopped`: a ceiling is reached, and the operator decides; `sending`: a transfer is on its way and not final yet"
  }),
  because: Schema.String.annotate({ description: "What the record says of which value" }),
  proof: Schema.String.annotate({ description: "Path of the logged document that says so" }),
  at: Schema.String.annotate({
    format: "date-time",
    description: "When it was paid, or became due while it is not paid"
  })
}

/** What was paid back of a sale, and because of what. */
export const WarrantyPayment = Schema.Struct(payment).annotate({
  identifier: "WarrantyPayment",
  description: "What is paid back of this purchase"
})
export interface WarrantyPayment extends Schema.Schema.Type<typeof WarrantyPayment> {}

/** What is paid back to a wallet that paid without an account. */
export const WalletWarranty = Schema.Struct({
  wallet: Schema.String.annotate({ description: "The address that paid" }),
  owed_usd: Usd.annotate({ description: "USD that are not paid yet, of all its sales" }),
  paid_usd: Usd.annotate({ description: "USD that were paid back, of all its sales" }),
  claim: Schema.String.annotate({ description: "How what is owed is paid" }),
  payments: Schema.Array(
    Schema.Struct({
      purchase_id: Schema.String.annotate({ description: "Id of the sale, as its receipt has it" }),
      ...payment,
      paid_in: Schema.optionalKey(
        Schema.Literals(["credits", "usdc"]).annotate({
          description:
            "`credits`: to the account that verified the wallet; `usdc`: to the wallet. Absent while neither has begun"
        })
      ),
      transaction: Schema.optionalKey(
        Schema.String.annotate({
          description: "Hash of the transfer to the wallet; another one may take its place until it is paid"
        })
      )
    })
  ).annotate({ description: "The newest 200, one for each sale" })
}).annotate({
  identifier: "WalletWarranty",
  description: "What warranties owe and have paid to a wallet that paid per request"
})
export interface WalletWarranty extends Schema.Schema.Type<typeof WalletWarranty> {}
