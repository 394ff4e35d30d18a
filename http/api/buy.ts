/** Paying: top-ups of a key, and what can be bought with a card and no account. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Order, OrderRequest, SessionKey } from "../../core/wire/credits/card.ts"
import {
  Challenge,
  ChallengeRequest,
  CryptoReceipts,
  CryptoStatus,
  Verified,
  VerifyRequest
} from "../../core/wire/credits/chain.ts"
import { TopUpRequest, TopUpResult } from "../../core/wire/credits/topUp.ts"
import {
  CardsUnavailable,
  EventRefused,
  SessionOver,
  SessionUnknown
} from "../../core/wire/problems/cards.ts"
import { CryptoUnavailable, WalletUnverified } from "../../core/wire/problems/chain.ts"
import { IdempotencyKeyReused } from "../../core/wire/problems/purchases.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { AccountKey } from "./Account.ts"
import { Sample } from "./Contract.ts"
import { idempotencyKey } from "./credits.ts"

const words = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const session = {
  session_id: Schema.String.annotate({
    description: "id of a checkout session, as Stripe put it into the address"
  })
}

/** What needs a key. */
export const TopUp = HttpApiGroup.make("topup")
  .add(
    HttpApiEndpoint.post("topup", "/v1/credits/topup", {
      headers: idempotencyKey,
      payload: TopUpRequest,
      success: TopUpResult,
      error: [BadParameter, CardsUnavailable, CryptoUnavailable, IdempotencyKeyReused, WalletUnverified]
    })
      .annotate(Sample, { method: "stripe", amount: 20 })
      .annotateMerge(
        words("Add credits", "A card amount that is no pack returns the menu and charges nothing.")
      ),
    HttpApiEndpoint.post("portal", "/v1/credits/portal", {
      success: Schema.Struct({
        portal_url: Schema.String.annotate({ description: "Stripe's page of the subscription" })
      }),
      error: [CardsUnavailable, SessionUnknown]
    }).annotateMerge(words("Manage a subscription", "Address where a subscriber changes card or cancels.")),
    HttpApiEndpoint.post("challenge", "/v1/credits/crypto/challenge", {
      payload: ChallengeRequest,
      success: Challenge,
      error: [BadParameter, CryptoUnavailable]
    })
      .annotate(Sample, { wallet: "0x0000000000000000000000000000000000000001" })
      .annotateMerge(words("Begin to verify a wallet", "Gives the message to sign; it can be used once.")),
    HttpApiEndpoint.post("verify", "/v1/credits/crypto/verify", {
      payload: VerifyRequest,
      success: Verified,
      error: [BadParameter, CryptoUnavailable]
    })
      .annotate(Sample, { nonce: "as the challenge gave it", signature: "0x..." })
      .annotateMerge(words("Verify a wallet", "With the signature of the challenge's message (EIP-191).")),
    HttpApiEndpoint.get("receipts", "/v1/credits/crypto/receipts", { success: CryptoReceipts }).annotateMerge(
      words(
        "Stablecoin receipts",
        "Transfers of this key's wallets, credited or not and why, and its quotes."
      )
    )
  )
  .middleware(AccountKey)
  .annotateMerge(OpenApi.annotations({ title: "Top-up", description: "Adding credits to a key." }))

/** What needs none. */
export const Buy = HttpApiGroup.make("buy")
  .add(
    HttpApiEndpoint.post("order", "/buy/api/order", {
      headers: idempotencyKey,
      payload: OrderRequest,
      success: Order,
      error: [BadParameter, CardsUnavailable, IdempotencyKeyReused]
    })
      .annotate(Sample, { sku: "dp_credits_499", email: "you@example.org" })
      .annotateMerge(
        words(
          "Buy with a card, without an account",
          "dp_credits_499: 4.99 credits on a new key; dp_agent_499 and dp_partner_199: a subscription with its key."
        )
      ),
    HttpApiEndpoint.get("crypto", "/v1/credits/crypto", { success: CryptoStatus }).annotateMerge(
      words("Stablecoin top-ups", "Whether they are available, on which chain, and the rules.")
    ),
    HttpApiEndpoint.get("bySession", "/v1/credits/by_session", {
      query: session,
      success: SessionKey,
      error: [SessionUnknown, SessionOver]
    }).annotateMerge(words("The key of a one-shot purchase", "For 24 hours after payment.")),
    HttpApiEndpoint.get("keyBySession", "/v1/key/by-session", {
      query: session,
      success: SessionKey,
      error: [SessionUnknown, SessionOver]
    }).annotateMerge(words("The key of a subscription", "For 24 hours after payment.")),
    HttpApiEndpoint.post("stripe", "/webhooks/stripe", {
      success: Schema.Struct({
        received: Schema.Literal(true).annotate({ description: "The event is kept" })
      }),
      error: [EventRefused, CardsUnavailable]
    }).annotateMerge(words("Stripe's webhook", "Signed by Stripe over the raw body; nobody else calls it."))
  )
  .annotateMerge(OpenApi.annotations({ title: "Buy", description: "Paying without an account, and how." }))
