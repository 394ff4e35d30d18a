/** How a computation over measured values becomes a product: the same effect stands behind its gated GET. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { InputInvalid, type Order, type Product, ProductUnavailable } from "../credits/Product.ts"
import { catalog, type ProductKey } from "../credits/pricing.ts"
import type { BadParameter, UnknownSymbol } from "../data/errors.ts"

/** Refusals of the read side, which name a field. */
type Refusal = BadParameter | UnknownSymbol | ProductUnavailable | InputInvalid | SqlError

/**
 * A product whose payload `build` makes. What has no content by `holds` is not sold: nothing is measured yet, so there
 * is nothing to charge for.
 */
export const product = <A, R>(
  key: ProductKey,
  build: (order: Order) => Effect.Effect<A, Refusal, R>,
  options: {
    readonly holds: (payload: A) => boolean
    readonly grant?: Product["grant"]
  }
): Effect.Effect<Product, never, R> =>
  Effect.map(Effect.context<R>(), (context) => ({
    key,
    inputs: Object.keys(catalog[key].inputs ?? {}),
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
        Effect.catchTag("SqlError", Effect.die),
        Effect.catchTag("BadParameter", ({ field, message, valid_values }) =>
          Effect.fail(
            new InputInvalid({ field, message, ...(valid_values === undefined ? {} : { valid_values }) })
          )
        )
      )
  }))
