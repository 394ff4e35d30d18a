/** A purchase as a file: the payload as it was delivered, or one of its tables as CSV. */
import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Purchased } from "../../core/credits/Purchases.ts"
import { ProductUnavailable } from "../../core/wire/problems/purchases.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { TableFiles } from "./TableFiles.ts"
import { TableReader } from "./TableReader.ts"
import type { TableChunk } from "./tableChunk.ts"

const attached = (name: string): Record<string, string> => ({
  "content-disposition": `attachment; filename="${name}"`,
  "cache-control": "private, no-store"
})

/** The very bytes whose hash the receipt has. */
export const jsonFile = ({ bytes, purchase }: Purchased): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(bytes, {
    contentType: "application/json",
    headers: attached(`${purchase.product_key}-${purchase.purchase_id}.json`)
  })

/** A table of the payload; the first one without a name. Fails with `BadParameter` on a name that no table has. */
export const csvFile = Effect.fn("explorer.csvFile")(function* (
  purchased: Purchased,
  named: string | undefined
) {
  const { product_key, purchase_id } = purchased.purchase
  const read = (yield* TableReader).of(purchased)
  const first = yield* read({ table: named, from: 0 })
  if (first.table === undefined) {
    return yield* new BadParameter({
      field: "table",
      message: `${product_key} has no such table. Valid: ${first.names.join(", ")}.`,
      valid_values: first.names
    })
  }
  const texts = Stream.paginate<TableChunk, string>(first, (chunk) => {
    const { next, text } = chunk
    return next === undefined
      ? Effect.succeed([[text], Option.none()] as const)
      : Effect.map(read({ table: named, from: next }), (after) => [[text], Option.some(after)] as const)
  })
  const headers = {
    ...attached(`${product_key}-${first.table}-${purchase_id}.csv`),
    "x-service-tables": first.names.join(", ")
  }
  return yield* (yield* TableFiles)
    .send(texts, headers)
    .pipe(Effect.catch(({ message }) => Effect.fail(new ProductUnavailable({ product_key, message }))))
})
