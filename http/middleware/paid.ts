/** Sells the answers of endpoints by the page (`api/paidReads.ts`). */
import { Context, Effect, Layer, type Types } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { pageBuyer } from "../../core/credits/Callers.ts"
import { readItem } from "../../core/credits/x402/offer.ts"
import type { SaleHead } from "../../core/credits/x402/saleRecord.ts"
import { X402 } from "../../core/credits/x402/X402.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { forSale } from "../../core/readings/read/rights.ts"
import { Paid, SoldAs } from "../api/paidReads.ts"
import { sha256Hex } from "../delivery/answer.ts"
import { fresh, RequestState } from "../delivery/RequestState.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { Till } from "../payments/Till.ts"
import { orProblem } from "../problems/fromCore.ts"

type Handle = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>

/**
 * The answer as it is stored: its body, and the headers that its handler gave it. It is made in the buyer's name and with a state of
 * its own: what surrounds the sale is never answered in his name, and no cache keeps the answer.
 */
const answerOf = Effect.fnUntraced(function* (handle: Handle, target: string) {
  const state = fresh({ caller: pageBuyer, inTurn: undefined })
  const { body, headers } = yield* Effect.provideService(forSale(handle), RequestState, state)
  if (body._tag !== "Uint8Array") return yield* Effect.die(new Error(`${target} answered with ${body._tag}`))
  const { "content-length": _, ...others } = headers
  const read = { target, headers: { "content-type": body.contentType, ...others, ...state.headers } }
  return { payload: { bytes: body.body, sha256: sha256Hex(body.body) }, read }
})

/** What of a sale its receipt and settlement do not say, and the hash of the answer: all of it has to fit into a header. */
const besideReceipt = ({ commitment, payload_sha256, price_paid, purchased_at }: SaleHead) => ({
  price_paid,
  payload_sha256,
  purchased_at,
  commitment
})

/** What is read: a request target, with the hash of the body, if there is one. */
const targetOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  if (request.method === "GET") return request.url
  const body = new TextEncoder().encode(yield* Effect.orDie(request.text))
  return `${request.url}#sha256=${sha256Hex(body)}`
})

export const layer = Layer.effect(
  Paid,
  Effect.gen(function* () {
    const x402 = yield* X402
    const till = yield* Till
    const { baseUrl } = yield* HttpSettings
    const feeds = yield* Feeds
    return Paid.of((handle, { endpoint }) =>
      Effect.gen(function* () {
        const path = Context.get(endpoint.annotations, SoldAs)
        if (path === undefined) return yield* Effect.die(new Error(`${endpoint.path} has no price`))
        const request = yield* HttpServerRequest.HttpServerRequest
        const { url } = request
        const target = yield* targetOf(request)
        const item = { ...readItem(path, baseUrl, url), target }
        return yield* till.take({
          item,
          path: url,
          offerInBody: false,
          pay: (payment) =>
            x402.sell(item, payment, () => Effect.provideService(answerOf(handle, target), Feeds, feeds)),
          deliver: ({ data, head, read }) => ({
            response: HttpServerResponse.uint8Array(data, { headers: read?.headers ?? {} }),
            extensions: { sale: { info: besideReceipt(head) } }
          })
        })
      }).pipe(orProblem)
    )
  })
)
