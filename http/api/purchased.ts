/** Responses that deliver a product: one variant per product, distinguished by `product_key`. */
import { Schema } from "effect"
import { type ProductKey, productOf } from "../../core/products/index.ts"

type Payload = Schema.Codec<unknown, unknown>

/** One variant of the result per product; `data` turns the payload's schema into the member. */
export const perProduct = <Fields extends Schema.Struct.Fields, Data extends Schema.Constraint>(
  name: string,
  { fields }: { readonly fields: Fields },
  keys: ReadonlyArray<ProductKey>,
  data: (payload: Payload) => Data
) =>
  Schema.Union(
    keys.flatMap((key) => {
      const payload = productOf(key).schema
      return payload === undefined
        ? []
        : [
            Schema.Struct({
              ...fields,
              product_key: Schema.Literal(key).annotate({ description: "The product" }),
              data: data(payload)
            }).annotate({
              identifier: `${name}_${key}`
            })
          ]
    })
  ).annotate({ description: "`product_key` says which payload `data` is" })
