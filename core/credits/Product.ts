/** What a product is to a sale: a key and a payload that can be built. Each product is one file in `core/products`. */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { ProductUnavailable } from "../wire/problems/purchases.ts"
import type { BadParameter, UnknownSymbol } from "../wire/problems/request.ts"
import type { ProductKey } from "../wire/products/keys.ts"

/** One sale in the making. */
export interface Order {
  /** Id of the purchase or payment to be. */
  readonly id: string
  /** The buying account; absent for a payment per request (x402). */
  readonly account?: string
  /** What the buyer chose, undecoded; each is one that the product takes, and none is null. */
  readonly inputs: Readonly<Record<string, unknown>>
}

export interface Product {
  readonly key: ProductKey
  /**
   * Makes the payload, a JSON value, before anything is charged. It only reads: it may run and never be sold, and it
   * must not hold a SQL transaction.
   */
  readonly build: (order: Order) => Effect.Effect<unknown, ProductUnavailable | BadParameter | UnknownSymbol>
  /**
   * What must happen with the charge or not at all, such as opening a key that the payload holds. Runs inside the
   * transaction of the sale, so it may use `SqlClient` and nothing outside.
   */
  readonly grant?: (order: Order) => Effect.Effect<void, SqlError>
  /**
   * A text of the payload that is not kept with it: it is derived from the purchase's id each time the payload is
   * delivered, such as a key of which only the hash is kept.
   */
  readonly secret?: (purchase: string) => string
}

/** The products that can be delivered, by key: handed over by the composition root. */
export class Products extends Context.Service<Products, ReadonlyMap<ProductKey, Product>>()(
  "core/credits/Products"
) {
  static readonly layer = <E, R>(
    products: Effect.Effect<ReadonlyArray<Product>, E, R>
  ): Layer.Layer<Products, E, R> =>
    Layer.effect(
      Products,
      Effect.map(products, (all) => {
        const byKey = new Map(all.map((product) => [product.key, product]))
        if (byKey.size !== all.length) throw new Error("two products have one key")
        return byKey
      })
    )
}
