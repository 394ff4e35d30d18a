/** A product, as a sale sees it: a key and a way to build the payload. Each product is one file in `core/products`. */
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { ProductKey } from "../products/index.ts"
import type { Coverage } from "../wire/credits/coverage.ts"
import { type NotForResale, NothingToDeliver, type ProductUnavailable } from "../wire/problems/purchases.ts"
import type { BadParameter, UnknownSymbol } from "../wire/problems/request.ts"

/** A sale in progress. */
export interface Order {
  /** Id of the future purchase or payment. */
  readonly id: string
  /** The buying account; absent for a payment per request (x402). */
  readonly account?: string
  /** The buyer's inputs, not yet decoded. The product has each of them, and none is null. */
  readonly inputs: Readonly<Record<string, unknown>>
}

export interface Product {
  readonly key: ProductKey
  /**
   * Builds the payload, a JSON value, before anything is charged. It must only read, because the sale may still fail, and
   * must not hold a SQL transaction.
   */
  readonly build: (
    order: Order
  ) => Effect.Effect<unknown, NotForResale | ProductUnavailable | BadParameter | UnknownSymbol | SqlError>
  /** What it covers, with its default inputs otherwise; said before the sale. */
  readonly covers?: (
    order: Pick<Order, "inputs">
  ) => Effect.Effect<Coverage, BadParameter | UnknownSymbol | SqlError>
  /**
   * Work that must happen together with the charge, such as activating a key in the payload. It runs inside the
   * transaction of the sale, so it may use only `SqlClient`.
   */
  readonly grant?: (order: Order) => Effect.Effect<void, SqlError>
  /**
   * A secret in the payload that is not stored with it, such as a key stored only as a hash. It is derived from the
   * purchase id for each delivery.
   */
  readonly secret?: (purchase: string) => string
}

/** Fails while the price list says that there is nothing to deliver: asked before any offer, and before the means of anybody. */
export const requireContent = Effect.fnUntraced(function* ({ covers, key }: Product) {
  // A coverage that cannot be read now refuses nothing: the build says why.
  const covered = covers === undefined ? Option.none() : yield* Effect.option(covers({ inputs: {} }))
  if (Option.isSome(covered) && covered.value.deliverable === false)
    return yield* NothingToDeliver.of(key, covered.value.missing)
})

/** The products that can be delivered, by key; the composition root provides them. */
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
        if (byKey.size !== all.length) throw new Error("two products have the same key")
        return byKey
      })
    )
}
