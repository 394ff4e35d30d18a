/** Turns a computation over measured values into a product; its gated GET runs the same effect. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Order, Product } from "../credits/Product.ts"
import type { Coverage } from "../wire/credits/coverage.ts"
import { ProductUnavailable } from "../wire/problems/purchases.ts"
import type { BadParameter, UnknownSymbol } from "../wire/problems/request.ts"
import type { ProductKey } from "../wire/products/keys.ts"

/**
 * A product whose payload `build` makes. Not sold while `holds` says the payload is empty: nothing is measured yet, so
 * there is nothing to charge for.
 */
export const product = <A, R>(
  key: ProductKey,
  build: (order: Order) => Effect.Effect<A, BadParameter | UnknownSymbol | ProductUnavailable | SqlError, R>,
  options: {
    readonly holds: (payload: A) => boolean
    readonly covers?: Effect.Effect<Coverage, SqlError, R>
    readonly grant?: Product["grant"]
  }
): Effect.Effect<Product, never, R> =>
  Effect.map(Effect.context<R>(), (context) => ({
    key,
    ...(options.covers === undefined ? {} : { covers: Effect.provide(options.covers, context) }),
    ...(options.grant === undefined ? {} : { grant: options.grant }),
    build: (order) =>
      build(order).pipe(
        Effect.provide(context),
        Effect.filterOrFail(
          (payload) => options.holds(payload),
          () =>
            new ProductUnavailable({
              product_key: key,
              message: `${key} is not available yet: none of its inputs has been measured. Nothing was charged.`
            })
        )
      )
  }))
