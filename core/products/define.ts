/** How a computation over measured values becomes a product: the same effect stands behind its gated GET. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Order, Product } from "../credits/Product.ts"
import { ProductUnavailable } from "../wire/problems/purchases.ts"
import type { BadParameter, UnknownSymbol } from "../wire/problems/request.ts"
import type { ProductKey } from "../wire/products/keys.ts"

/**
 * A product whose payload `build` makes. What has no content by `holds` is not sold: nothing is measured yet, so there
 * is nothing to charge for.
 */
export const product = <A, R>(
  key: ProductKey,
  build: (order: Order) => Effect.Effect<A, BadParameter | UnknownSymbol | ProductUnavailable | SqlError, R>,
  options: {
    readonly holds: (payload: A) => boolean
    readonly grant?: Product["grant"]
  }
): Effect.Effect<Product, never, R> =>
  Effect.map(Effect.context<R>(), (context) => ({
    key,
    ...(options.grant === undefined ? {} : { grant: options.grant }),
    build: (order) =>
      build(order).pipe(
        Effect.provide(context),
        Effect.filterOrFail(
          (payload) => options.holds(payload),
          () =>
            new ProductUnavailable({
              product_key: key,
              message: `${key}: nothing that it is made of has been measured yet. Nothing was charged.`
            })
        ),
        Effect.catchTag("SqlError", Effect.die)
      )
  }))
