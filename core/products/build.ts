/** How a definition and its computation become a product that is sold and a view that is read. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Order, Product } from "../credits/Product.ts"
import type { Feeds } from "../readings/Feeds.ts"
import { asKnownAt, type Dated, knownThen, readKnownAt, type TheRecord } from "../readings/read/asKnownAt.ts"
import { forSale } from "../readings/read/rights.ts"
import type { Coverage } from "../wire/credits/coverage.ts"
import { type NotForResale, ProductUnavailable } from "../wire/problems/purchases.ts"
import type { BadParameter, UnknownSymbol } from "../wire/problems/request.ts"
import { credited } from "./credited.ts"
import type { Viewable } from "./definition.ts"
import type { ProductKey } from "./index.ts"
import { refusedKnownAt } from "./refusedKnownAt.ts"

type Covers<R> =
  | Effect.Effect<Coverage, SqlError, R>
  | ((inputs: Order["inputs"]) => Effect.Effect<Coverage, BadParameter | UnknownSymbol | SqlError, R>)

interface SaleOptions<A, R> {
  /** False while there is nothing to sell: none of the inputs has been measured. */
  readonly holds: (payload: A) => boolean
  /** What it covers now, said before the sale; a function where its inputs change that. */
  readonly covers?: Covers<R>
}

/**
 * A product whose payload `build` makes: of now, or as known at the time that the order names, of values alone that their sources
 * let be sold. Not sold while `holds` says
 * the payload is empty: nothing is measured yet, so there is nothing to charge for.
 */
export const sold = <A extends object, R, Covering = never>(
  { key }: { readonly key: ProductKey },
  build: (
    order: Order
  ) => Effect.Effect<A, BadParameter | NotForResale | UnknownSymbol | ProductUnavailable | SqlError, R>,
  options: SaleOptions<A, Covering>
): Effect.Effect<Product, never, R | Covering | Feeds | TheRecord> =>
  Effect.map(Effect.context<R | Covering | Feeds | TheRecord>(), (context): Product => {
    const { covers, holds } = options
    const coversAt = (
      { inputs: { as_known_at: raw, ...inputs } }: Pick<Order, "inputs">,
      of: Covers<Covering>
    ) =>
      Effect.gen(function* () {
        const now = typeof of === "function" ? of(inputs) : of
        return raw === undefined ? yield* now : yield* knownThen(yield* readKnownAt(raw), now)
      })
    return {
      key,
      ...(covers === undefined
        ? {}
        : { covers: (order) => Effect.provide(forSale(coversAt(order, covers)), context) }),
      build: (order) => {
        const raw = order.inputs["as_known_at"]
        return asKnownAt(raw, Effect.flatMap(build(order), credited)).pipe(
          forSale,
          Effect.provide(context),
          Effect.filterOrFail(holds, () => {
            const why =
              raw === undefined
                ? "is not available yet: none of its inputs has been measured, or their sources do not let them be sold"
                : "is not available as of that time: none of its inputs had been measured, or their sources do not let them be sold"
            return new ProductUnavailable({
              product_key: key,
              message: `${key} ${why}. Nothing was charged.`
            })
          })
        )
      }
    }
  })

/** The parameters of a view. */
export interface ViewParams {
  readonly metric?: string | undefined
  readonly symbol?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly as_known_at?: string | undefined
}

/** A definition that has a view, and what reads it. */
export interface ReadableView<D extends Viewable, A, E, R> {
  readonly definition: D
  /** Refuses parameters that name nothing, before anybody asks whether the caller may read. */
  readonly check: (params: ViewParams) => Effect.Effect<unknown, E, R>
  readonly read: (params: ViewParams) => Effect.Effect<A, E, R>
}

/** The view, which a tier sells, of now, or as known at the time that the parameters name. */
export const viewed = <D extends Viewable, A extends object, E, R>(
  definition: D,
  read: (params: ViewParams) => Effect.Effect<A, E, R>,
  check: (params: ViewParams) => Effect.Effect<unknown, E, R> = () => Effect.void
): ReadableView<D, Dated<A>, E | BadParameter | SqlError, R | Feeds | TheRecord> => ({
  definition,
  check,
  read: ({ as_known_at: raw, ...params }) => {
    const refused = raw === undefined ? undefined : refusedKnownAt(definition)
    return refused === undefined
      ? forSale(asKnownAt(raw, Effect.flatMap(read(params), credited)))
      : Effect.fail(refused)
  }
})

/** A product and the view with the same content. */
export const soldAndViewed = <
  D extends Viewable & { readonly key: ProductKey },
  A extends object,
  E extends BadParameter | NotForResale | UnknownSymbol | ProductUnavailable | SqlError,
  R
>(
  definition: D,
  compute: Effect.Effect<A, E, R>,
  options: SaleOptions<A, R>
) => ({
  sale: sold(definition, () => compute, options),
  view: viewed(definition, () => compute)
})
