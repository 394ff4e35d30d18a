/** The reads that are sold by the page. What makes them a sale is around them (`middleware/paid.ts`). */
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { asof } from "./asof.ts"
import { reads } from "./reads.ts"

export const layer = HttpApiBuilder.group(Api, "paid", (handlers) =>
  handlers.handleRaw("asof", asof).handleAll(reads)
)
