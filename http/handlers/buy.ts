import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { CardEvents } from "../../core/credits/card/CardEvents.ts"
import { Cards } from "../../core/credits/card/Cards.ts"
import { Subscriptions } from "../../core/credits/card/Subscriptions.ts"
import { Deposits } from "../../core/credits/chain/Deposits.ts"
import { Wallets } from "../../core/credits/chain/Wallets.ts"
import { topUp as topUpCredits } from "../../core/credits/topUp.ts"
import { Warranty } from "../../core/credits/warranty/Warranty.ts"
import { Api } from "../api/Api.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { CurrentAccount } from "../middleware/account.ts"
import { orProblem } from "../problems/fromCore.ts"
import { networkOfRequest } from "../request/origin.ts"

const topUp = HttpApiBuilder.group(
  Api,
  "topup",
  Effect.fn(function* (handlers) {
    const cards = yield* Cards
    const deposits = yield* Deposits
    const wallets = yield* Wallets
    const subscriptions = yield* Subscriptions
    const { baseUrl } = yield* HttpSettings
    return handlers.handleAll({
      topup: Effect.fn(function* ({ headers, payload }) {
        const { account } = yield* CurrentAccount
        return yield* topUpCredits(account, payload, baseUrl, headers["idempotency-key"]).pipe(orProblem)
      }),
      subscription: Effect.fn(function* () {
        const { account } = yield* CurrentAccount
        return yield* subscriptions.view(account).pipe(orProblem)
      }),
      subscribe: Effect.fn(function* ({ headers, payload }) {
        const { account } = yield* CurrentAccount
        return yield* subscriptions
          .subscribe(account, payload, baseUrl, headers["idempotency-key"])
          .pipe(orProblem)
      }),
      cancelSubscription: Effect.fn(function* () {
        const { account } = yield* CurrentAccount
        return yield* subscriptions.cancel(account).pipe(orProblem)
      }),
      portal: Effect.fn(function* () {
        const { account } = yield* CurrentAccount
        const portal_url = yield* cards.portal(account, baseUrl).pipe(orProblem)
        return { portal_url }
      }),
      challenge: Effect.fn(function* ({ payload }) {
        const { account } = yield* CurrentAccount
        return yield* wallets.challenge(account, payload.wallet, baseUrl).pipe(orProblem)
      }),
      verify: Effect.fn(function* ({ payload }) {
        const { account } = yield* CurrentAccount
        return yield* wallets.verify(account, payload.nonce, payload.signature).pipe(orProblem)
      }),
      receipts: Effect.fn(function* () {
        const { account } = yield* CurrentAccount
        return yield* orProblem(deposits.receipts(account))
      })
    })
  })
)

const open = HttpApiBuilder.group(
  Api,
  "buy",
  Effect.fn(function* (handlers) {
    const cards = yield* Cards
    const events = yield* CardEvents
    const deposits = yield* Deposits
    const warranties = yield* Warranty
    const { baseUrl, trustProxy } = yield* HttpSettings
    return handlers.handleAll({
      order: Effect.fn(function* ({ headers, payload }) {
        const { source } = yield* HttpServerRequest.HttpServerRequest
        return yield* cards
          .order(payload, networkOfRequest(source, trustProxy), baseUrl, headers["idempotency-key"])
          .pipe(orProblem)
      }),
      crypto: () => deposits.status,
      warranty: ({ params }) => warranties.ofWallet(params.wallet).pipe(orProblem),
      bySession: ({ query }) => cards.keyOf(query.session_id, "one_shot").pipe(orProblem),
      keyBySession: ({ query }) => cards.keyOf(query.session_id, "subscription").pipe(orProblem),
      stripe: Effect.fn(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const body = yield* Effect.orDie(request.arrayBuffer)
        yield* events.take(new Uint8Array(body), request.headers["stripe-signature"] ?? "").pipe(orProblem)
        return { received: true } as const
      })
    })
  })
)

export const layer = Layer.merge(topUp, open)
