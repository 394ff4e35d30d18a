/** A purchase as a file: the payload as it was delivered, or one of its tables as CSV. */
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Purchased } from "../../core/credits/Purchases.ts"
import { tablesOf } from "../../core/products/tables.ts"
import { csv } from "../../core/readings/csv.ts"
import { ProductUnavailable } from "../../core/wire/problems/purchases.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { TableFiles } from "./TableFiles.ts"

const attached = (name: string): Record<string, string> => ({
  "content-disposition": `attachment; filename="${name}"`,
  "cache-control": "private, no-store"
})

/** What the payload is, which core serialized itself. */
const payloadIn = ({ bytes }: Purchased): unknown => JSON.parse(new TextDecoder().decode(bytes))

/** The very bytes whose hash the receipt has. */
export const jsonFile = ({ bytes, purchase }: Purchased): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(bytes, {
    contentType: "application/json",
    headers: attached(`${purchase.product_key}-${purchase.purchase_id}.json`)
  })

/** A table of the payload; the first one without a name. Fails with `BadParameter` on a name that no table has. */
export const csvFile = Effect.fn("explorer.purchasedCsv")(function* (
  purchased: Purchased,
  named: string | undefined
) {
  const { product_key, purchase_id } = purchased.purchase
  const tables = tablesOf(payloadIn(purchased))
  const table = named === undefined ? tables[0] : tables.find(({ name }) => name === named)
  if (table === undefined) {
    return yield* new BadParameter({
      field: "table",
      message: `${product_key} has no such table. Valid: ${tables.map(({ name }) => name).join(", ")}.`,
      valid_values: tables.map(({ name }) => name)
    })
  }
  const texts = csv(table.columns)(Stream.fromIterable(table.rows))
  const headers = {
    ...attached(`${product_key}-${table.name}-${purchase_id}.csv`),
    "x-service-tables": tables.map(({ name }) => name).join(", ")
  }
  return yield* (yield* TableFiles)
    .send(texts, headers)
    .pipe(Effect.catch(({ message }) => Effect.fail(new ProductUnavailable({ product_key, message }))))
})
