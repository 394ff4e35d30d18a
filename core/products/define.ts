/** Turns a computation over measured values into a product; its gated GET runs the same effect. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Order, Product } from "../credits/Product.ts"
import { asKnownAt, knownThen, readKnownAt, type TheRecord } from "../data/read/asKnownAt.ts"
import type { Coverage } from "../wire/credits/coverage.ts"
import { type NotForResale, ProductUnavailable } from "../wire/problems/purchases.ts"
import type { BadParameter, UnknownSymbol } from "../wire/problems/request.ts"
import type { ProductKey } from "../wire/products/keys.ts"

/**
 * A product whose payload `build` makes: of now, or as known at the time that the order names. Not sold while `holds` says
 * the payload is empty: nothing is measured yet, so there is nothing to charge for.
 */
export const product = <A extends object, R>(
  key: ProductKey,
  build: (
    order: Order
  ) => Effect.Effect<A, BadParameter | UnknownSymbol | NotForResale | ProductUnavailable | SqlError, R>,
  options: {
    readonly holds: (payload: A) => boolean
    readonly covers?: Effect.Effect<Coverage, SqlError, R>
  }
): Effect.Effect<Product, never, R | TheRecord> =>
  Effect.map(Effect.context<R | TheRecord>(), (context): Product => {
    const { covers, holds } = options
    const coversAt = (
      { inputs: { as_known_at: raw } }: Pick<Order, "inputs">,
      now: NonNullable<typeof covers>
    ) =>
      Effect.gen(function* () {
        return raw === undefined ? yield* now : yield* knownThen(yield* readKnownAt(raw), now)
      })
    return {
      key,
      ...(covers === undefined
        ? {}
        : { covers: (order) => Effect.provide(coversAt(order, covers), context) }),
      build: (order) => {
        const raw = order.inputs["as_known_at"]
        return asKnownAt(raw, build(order)).pipe(
          Effect.provide(context),
          Effect.filterOrFail(holds, () => {
            const why =
              raw === undefined
                ? "is not available yet: none of its inputs has been measured"
                : "is not available as of that time: none of its inputs had been measured"
            return new ProductUnavailable({
              product_key: key,
              message: `${key} ${why}. Nothing was charged.`
            })
          })
        )
      }
    }
  })
