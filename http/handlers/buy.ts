import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { CardEvents } from "../../core/credits/card/CardEvents.ts"
import { type CardRefusal, Cards } from "../../core/credits/card/Cards.ts"
import type { SessionOver, SessionUnknown } from "../../core/credits/card/wire.ts"
import { Deposits, type QuoteRefusal } from "../../core/credits/chain/Deposits.ts"
import { Wallets } from "../../core/credits/chain/Wallets.ts"
import { topUp as topUpCredits } from "../../core/credits/topUp.ts"
import { Api } from "../api/Api.ts"
import * as Problems from "../api/creditProblems.ts"
import { BadParameter, says } from "../api/problems.ts"
import { networkOfRequest } from "../delivery/deliver.ts"
import { CurrentAccount } from "../middleware/account.ts"
import { Settings } from "../Settings.ts"
import { invalid } from "./credits.ts"

const refused = (error: CardRefusal) => {
  switch (error._tag) {
    case "CardsUnavailable":
    case "CardsUnreachable":
      return new Problems.CardsUnavailable(says(error.message))
    case "IdempotencyKeyReused":
      return new Problems.IdempotencyKeyReused(says(error.message))
    case "FieldInvalid":
      return invalid(error)
  }
}

const unquoted = (error: QuoteRefusal) => {
  switch (error._tag) {
    case "ChainUnreachable":
    case "CryptoUnavailable":
      return new Problems.CryptoUnavailable(says(error.message))
    case "WalletUnverified":
      return new Problems.WalletUnverified({ ...says(error.message), field: "from_address" })
    case "WalletRefused":
      return new BadParameter({ ...says(error.message), field: error.field })
    case "IdempotencyKeyReused":
      return new Problems.IdempotencyKeyReused(says(error.message))
    case "FieldInvalid":
      return invalid(error)
  }
}

const walletRefused = (
  error: Extract<QuoteRefusal, { _tag: "ChainUnreachable" | "CryptoUnavailable" | "WalletRefused" }>
) =>
  error._tag === "WalletRefused"
    ? new BadParameter({ ...says(error.message), field: error.field })
    : new Problems.CryptoUnavailable(says(error.message))

const noSession = (error: SessionOver | SessionUnknown) =>
  error._tag === "SessionOver"
    ? new Problems.SessionOver(says(error.message))
    : new Problems.SessionUnknown(says(error.message))

const topUp = HttpApiBuilder.group(
  Api,
  "topup",
  Effect.fn(function* (handlers) {
    const cards = yield* Cards
    const deposits = yield* Deposits
    const wallets = yield* Wallets
    const { baseUrl } = yield* Settings
    return handlers.handleAll({
      topup: Effect.fn(function* ({ headers, payload }) {
        const { account } = yield* CurrentAccount
        return yield* topUpCredits(account, payload, baseUrl, headers["idempotency-key"]).pipe(
          Effect.catchTag("SqlError", Effect.die),
          Effect.mapError((error) =>
            error._tag === "CardsUnavailable" || error._tag === "CardsUnreachable"
              ? refused(error)
              : unquoted(error)
          )
        )
      }),
      portal: Effect.fn(function* () {
        const { account } = yield* CurrentAccount
        const portal_url = yield* cards.portal(account, baseUrl).pipe(
          Effect.catchTag("SqlError", Effect.die),
          Effect.mapError((error) =>
            error._tag === "SessionUnknown"
              ? new Problems.SessionUnknown(says("This key has no subscription."))
              : new Problems.CardsUnavailable(says(error.message))
          )
        )
        return { portal_url }
      }),
      challenge: Effect.fn(function* ({ payload }) {
        const { account } = yield* CurrentAccount
        return yield* wallets
          .challenge(account, payload.wallet, baseUrl)
          .pipe(Effect.catchTag("SqlError", Effect.die), Effect.mapError(walletRefused))
      }),
      verify: Effect.fn(function* ({ payload }) {
        const { account } = yield* CurrentAccount
        return yield* wallets
          .verify(account, payload.nonce, payload.signature)
          .pipe(Effect.catchTag("SqlError", Effect.die), Effect.mapError(walletRefused))
      }),
      receipts: Effect.fn(function* () {
        const { account } = yield* CurrentAccount
        return yield* Effect.orDie(deposits.receipts(account))
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
    const { baseUrl, trustProxy } = yield* Settings
    return handlers.handleAll({
      order: Effect.fn(function* ({ headers, payload }) {
        const { source } = yield* HttpServerRequest.HttpServerRequest
        return yield* cards
          .order(payload, networkOfRequest(source, trustProxy), baseUrl, headers["idempotency-key"])
          .pipe(Effect.catchTag("SqlError", Effect.die), Effect.mapError(refused))
      }),
      crypto: () => deposits.status,
      bySession: ({ query }) =>
        cards
          .keyOf(query.session_id, "one_shot")
          .pipe(Effect.catchTag("SqlError", Effect.die), Effect.mapError(noSession)),
      keyBySession: ({ query }) =>
        cards
          .keyOf(query.session_id, "subscription")
          .pipe(Effect.catchTag("SqlError", Effect.die), Effect.mapError(noSession)),
      stripe: Effect.fn(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const body = yield* Effect.orDie(request.arrayBuffer)
        yield* events.take(new Uint8Array(body), request.headers["stripe-signature"] ?? "").pipe(
          Effect.catchTag("SqlError", Effect.die),
          Effect.mapError((error) =>
            error._tag === "EventRefused"
              ? new Problems.EventRefused(says(error.message))
              : new Problems.CardsUnavailable(says(error.message))
          )
        )
        return { received: true } as const
      })
    })
  })
)

export const layer = Layer.merge(topUp, open)
