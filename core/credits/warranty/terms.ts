/** The warranty that the operator gives, if he gives one. */
import { Context } from "effect"
import { productKeys, productOf } from "../../products/index.ts"
import { derivedProducts } from "../../proof/soldRows.ts"
import type { WarrantyPromise } from "../../wire/credits/warranty.ts"
import { format, type Micros, toNumber } from "../Money.ts"

export interface Terms {
  readonly days: number
  readonly greatestAgeHours: number
  /** Percent of the price, 1 to 100. */
  readonly share: number
  readonly perSale: Micros
  /** Of all sales, on one UTC day. */
  readonly perDay: Micros
  /** Of all sales, ever. */
  readonly inTotal: Micros
}

/** Undefined: nothing is promised. `runtime` reads it from the settings. */
export const WarrantyTerms = Context.Reference<Terms | undefined>("core/credits/warranty/terms", {
  defaultValue: () => undefined
})

/** Without those whose values have no `as_of` of their own, of which none could be covered. Reads by the page have none. */
const covered: ReadonlySet<string> = new Set(
  productKeys.filter(
    (key) =>
      key !== "depin_history" &&
      !Object.hasOwn(derivedProducts, key) &&
      productOf(key).withdrawn === undefined
  )
)

/** The promise in words. */
export const saysOf = ({ days, greatestAgeHours, inTotal, perDay, perSale, share }: Terms): string =>
  `If the record revises or excludes a value of the data within ${days} days of the sale, ${share} % of the price is paid back, ` +
  `once for each sale and at most ${format(perSale)} USD. A value counts that has an as_of of its own and was at most ` +
  `${greatestAgeHours} hours old at the sale, of the first 5,000 such values; a column in US dollars that shares the as_of of its row has none ` +
  "of its own. It is paid in credits: to the account that bought, or, for a " +
  "payment without an account, to the account that has verified the wallet that paid (POST /v1/credits/crypto/challenge). A contract wallet cannot be verified: a payment without an account from one is paid nothing back. " +
  "GET /v1/warranty/{wallet} says what a wallet is owed. " +
  `All payments together stop at ${format(perDay)} USD on a UTC day and at ${format(inTotal)} USD in total; what is beyond waits until the operator ` +
  "decides. Data as known at an earlier time has no warranty."

const wireOf = (terms: Terms): WarrantyPromise => ({
  days: terms.days,
  greatest_age_hours: terms.greatestAgeHours,
  share_percent: terms.share,
  most_per_sale_usd: toNumber(terms.perSale),
  most_per_day_usd: toNumber(terms.perDay),
  most_in_total_usd: toNumber(terms.inTotal),
  says: saysOf(terms)
})

/** As the price list has it. */
export const listedWarranty = (terms: Terms) => ({ says: saysOf(terms), products: [...covered] })

/** What is promised of what is sold under this key; undefined where nothing is. */
export const promiseOf = (terms: Terms | undefined, key: string): WarrantyPromise | undefined =>
  terms === undefined || !covered.has(key) ? undefined : wireOf(terms)
