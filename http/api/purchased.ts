/** Answers that deliver a product, with the payload of each: one variant for each key, told apart by `product_key`. */
import { Schema } from "effect"
import type { ProductKey } from "../../core/wire/products/keys.ts"
import { payloads } from "../../core/wire/products/payloads.ts"

type Payload = Schema.Codec<unknown, unknown>

/** One variant of `result` for each of the products; `data` makes the member out of the payload's schema. */
export const perProduct = <Fields extends Schema.Struct.Fields, Data extends Schema.Constraint>(
  name: string,
  { fields }: { readonly fields: Fields },
  keys: ReadonlyArray<ProductKey>,
  data: (payload: Payload) => Data
) =>
  Schema.Union(
    keys.flatMap((key) => {
      const payload = payloads[key]
      return payload === undefined
        ? []
        : [
            Schema.Struct({
              ...fields,
              product_key: Schema.Literal(key).annotate({ description: "What was bought" }),
              data: data(payload)
            }).annotate({
              identifier: `${name}_${key}`
            })
          ]
    })
  ).annotate({ description: "`product_key` says which payload `data` is" })
