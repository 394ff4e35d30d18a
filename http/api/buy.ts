/** Top-ups for a key, and card purchases without an account. */
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
import {
  Subscription,
  SubscriptionChange,
  SubscriptionRequest,
  SubscriptionView
} from "../../core/wire/credits/subscription.ts"
import { TopUpRequest, TopUpResult } from "../../core/wire/credits/topUp.ts"
import { WalletWarranty } from "../../core/wire/credits/warranty.ts"
import {
  CardsUnavailable,
  EventRefused,
  NotSubscribed,
  PaymentDeclined,
  SessionOver,
  SessionUnknown,
  SubscriptionPending
} from "../../core/wire/problems/cards.ts"
import { CryptoUnavailable, WalletUnverified } from "../../core/wire/problems/chain.ts"
import { IdempotencyKeyReused } from "../../core/wire/problems/purchases.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { AccountKey } from "./Account.ts"
import { Sample } from "./Contract.ts"
import { idempotencyKey } from "./credits.ts"

const describe = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const session = {
  session_id: Schema.String.annotate({
    description: "the id of a Stripe checkout session, from the URL that Stripe redirects to"
  })
}

/** The schema lets any amount through, so that a wrong one gets the menu. The document says which ones are right. */
const amountTyped = (operation: Record<string, unknown>): Record<string, unknown> => {
  const { requestBody } = operation as unknown as OpenApi.OpenAPISpecOperation
  const schema = requestBody?.content["application/json"]?.schema as JsonObject
  const members = schema["properties"] as Readonly<Record<string, JsonObject>>
  const typed = {
    ...schema,
    properties: { ...members, amount: { ...members["amount"], type: ["number", "string"] } }
  }
  return { ...operation, requestBody: { ...requestBody, content: { "application/json": { schema: typed } } } }
}

type JsonObject = Readonly<Record<string, unknown>>

/** Endpoints that require a key. */
export const TopUp = HttpApiGroup.make("topup")
  .add(
    HttpApiEndpoint.post("topup", "/v1/credits/topup", {
      headers: idempotencyKey,
      payload: TopUpRequest,
      success: TopUpResult,
      error: [BadParameter, CardsUnavailable, CryptoUnavailable, IdempotencyKeyReused, WalletUnverified]
    })
      .annotate(Sample, { method: "stripe", amount: 20 })
      .annotate(OpenApi.Transform, amountTyped)
      .annotateMerge(
        describe(
          "Add credits",
          "Returns a payment link or a deposit quote. A card amount outside the packs returns the menu and charges nothing."
        )
      ),
    HttpApiEndpoint.get("subscription", "/v1/credits/subscription", {
      success: SubscriptionView
    }).annotateMerge(
      describe(
        "Subscription",
        "State, tier and end of the paid period of the account's subscription, and its payments."
      )
    ),
    HttpApiEndpoint.post("subscribe", "/v1/credits/subscription", {
      headers: idempotencyKey,
      payload: SubscriptionRequest,
      success: SubscriptionChange,
      error: [BadParameter, CardsUnavailable, IdempotencyKeyReused, PaymentDeclined, SubscriptionPending]
    })
      .annotate(Sample, { sku: "dp_agent_499", preview: true })
      .annotateMerge(
        describe(
          "Subscribe or change the subscription",
          "For this account and all its keys. Without a live subscription it returns a checkout. With one it changes it at " +
            "once, in either direction; Stripe charges or credits the difference for the rest of the period, and `preview` " +
            "says beforehand how much that is. The same sku while the subscription is canceling keeps it."
        )
      ),
    HttpApiEndpoint.post("cancelSubscription", "/v1/credits/subscription/cancel", {
      success: Subscription,
      error: [CardsUnavailable, NotSubscribed]
    }).annotateMerge(
      describe(
        "Cancel the subscription",
        "It ends with the period that is paid. Nothing is refunded, credits stay."
      )
    ),
    HttpApiEndpoint.post("portal", "/v1/credits/portal", {
      success: Schema.Struct({
        portal_url: Schema.String.annotate({ description: "Stripe's page for managing the subscription" })
      }),
      error: [CardsUnavailable, SessionUnknown]
    }).annotateMerge(
      describe("Manage a subscription", "Returns the URL where a subscriber changes the card or cancels.")
    ),
    HttpApiEndpoint.post("challenge", "/v1/credits/crypto/challenge", {
      payload: ChallengeRequest,
      success: Challenge,
      error: [BadParameter, CryptoUnavailable]
    })
      .annotate(Sample, { wallet: "0x0000000000000000000000000000000000000001" })
      .annotateMerge(
        describe("Start wallet verification", "Returns the message to sign. It can be used once.")
      ),
    HttpApiEndpoint.post("verify", "/v1/credits/crypto/verify", {
      payload: VerifyRequest,
      success: Verified,
      error: [BadParameter, CryptoUnavailable]
    })
      .annotate(Sample, { nonce: "<nonce of the challenge>", signature: "0x..." })
      .annotateMerge(describe("Verify a wallet", "Send the signature of the challenge message (EIP-191).")),
    HttpApiEndpoint.get("receipts", "/v1/credits/crypto/receipts", { success: CryptoReceipts }).annotateMerge(
      describe(
        "Stablecoin receipts",
        "Transfers from this key's wallets, each credited or with the reason why not, and the key's quotes."
      )
    )
  )
  .middleware(AccountKey)
  .annotateMerge(OpenApi.annotations({ title: "Top-up", description: "Add credits to a key." }))

/** Endpoints that do not require a key. */
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
        describe(
          "Buy with a card, without an account",
          "dp_credits_499 buys 4.99 credits on a new key; dp_agent_499 and dp_partner_199 buy a subscription with its own key."
        )
      ),
    HttpApiEndpoint.get("crypto", "/v1/credits/crypto", { success: CryptoStatus }).annotateMerge(
      describe("Stablecoin top-ups", "Whether they are available, on which chain, and under which rules.")
    ),
    HttpApiEndpoint.get("warranty", "/v1/warranty/:wallet", {
      params: { wallet: Schema.String.annotate({ description: "0x and 40 hex digits" }) },
      success: WalletWarranty,
      error: BadParameter
    }).annotateMerge(
      describe(
        "What a warranty owes a wallet",
        "What is owed and was paid back of its sales per request, and how to claim it."
      )
    ),
    HttpApiEndpoint.get("bySession", "/v1/credits/by_session", {
      query: session,
      success: SessionKey,
      error: [SessionUnknown, SessionOver]
    }).annotateMerge(describe("Key of a one-off purchase", "Available for 24 hours after payment.")),
    HttpApiEndpoint.get("keyBySession", "/v1/key/by-session", {
      query: session,
      success: SessionKey,
      error: [SessionUnknown, SessionOver]
    }).annotateMerge(describe("Key of a subscription", "Available for 24 hours after payment.")),
    HttpApiEndpoint.post("stripe", "/webhooks/stripe", {
      success: Schema.Struct({
        received: Schema.Literal(true).annotate({ description: "The event was stored" })
      }),
      error: [EventRefused, CardsUnavailable]
    }).annotateMerge(describe("Stripe webhook", "Only Stripe calls this. It signs the raw body."))
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Buy", description: "Pay without an account, and see the payment options." })
  )
