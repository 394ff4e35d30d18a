/**
 * Paying with a card. An order is stored before Stripe is called, and its id is Stripe's idempotency key, so a crash in
 * between never creates a second session. Only webhooks add credits, once per payment; a redirect never does.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { day } from "../../plugin/time.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Menu, Order, OrderRequest, PaymentLink, SessionKey } from "../../wire/credits/card.ts"
import {
  CardsUnavailable,
  SessionOver,
  SessionUnknown,
  SubscriptionPending
} from "../../wire/problems/cards.ts"
import { IdempotencyKeyReused } from "../../wire/problems/purchases.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { type Account, Accounts, checkEmail } from "../Accounts.ts"
import { bodyHash, checkKey } from "../idempotency.ts"
import { KeyMode, keyOf } from "../keys/KeyMode.ts"
import { type Micros, parseUnknown, toNumber } from "../Money.ts"
import { packs } from "../pricing.ts"
import { Secret, sha256 } from "../Secret.ts"
import { tiers } from "../tiers.ts"
import { CardProcessor, type CardsUnreachable } from "./CardProcessor.ts"
import { menu } from "./menu.ts"
import { skuOf, skus, subscriptionSkus } from "./sku.ts"

const placedRows = rowsOf({
  id: Schema.String,
  request_sha256: Schema.String,
  session: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
  amount: Schema.BigInt
})
const paidRows = rowsOf({ account: Schema.NullOr(Schema.String), paid_at: Schema.NullOr(Schema.Date) })
const sessionRows = rowsOf({
  kind: Schema.Literals(["topup", "one_shot", "subscription"]),
  sku: Schema.String,
  amount: Schema.BigInt,
  state: Schema.Literals(["open", "paid", "closed", "held"]),
  scope: Schema.String
})
const openRows = rowsOf({ id: Schema.String, session: Schema.String })
const customerRows = rowsOf({ customer: Schema.String })

export type CardRefusal = BadParameter | CardsUnavailable | IdempotencyKeyReused

/** How long a session returns its key after payment. */
const revealMs = day

interface Draft {
  readonly kind: "topup" | "one_shot" | "subscription"
  readonly sku: string
  readonly amount: Micros
  readonly title: string
  readonly account?: string
  readonly email?: string
  readonly customer?: string
  readonly scope: string
  readonly request: unknown
  readonly idempotencyKey: string | undefined
  readonly successUrl: string
}

/** A checkout session as its buyer sees it. */
export interface Session {
  readonly kind: "topup" | "one_shot" | "subscription"
  readonly title: string
  readonly amountUsd: number
  /** `held`: the payment arrived, but does not match the order, so the operator has to look at it. */
  readonly state: "open" | "paid" | "closed" | "held"
  /** True if what was bought goes to the key that asked, so there is no new key to show. */
  readonly toExistingKey: boolean
}

export class Cards extends Context.Service<
  Cards,
  {
    /** A payment link for a pack. Any other amount returns the menu, even if cards are not configured. */
    readonly topUp: (
      account: Account,
      amount: unknown,
      baseUrl: string,
      idempotencyKey?: string
    ) => Effect.Effect<typeof PaymentLink.Type | typeof Menu.Type, CardRefusal | SqlError>
    /** A checkout without an account. The idempotency key is scoped to the originating network. */
    readonly order: (
      request: typeof OrderRequest.Type,
      network: string,
      baseUrl: string,
      idempotencyKey?: string
    ) => Effect.Effect<typeof Order.Type, CardRefusal | SqlError>
    /** A checkout for a subscription of an existing account. Open ones for other subscriptions are closed first. */
    readonly subscribe: (
      account: Account,
      sku: { readonly name: string; readonly customer: string | undefined },
      baseUrl: string,
      idempotencyKey?: string
    ) => Effect.Effect<
      { readonly url: string; readonly amount: Micros },
      CardRefusal | SubscriptionPending | SqlError
    >
    /** True if this service takes cards. */
    readonly areTaken: boolean
    /** What a session is for, and whether its payment has arrived; undefined if no order has this session. */
    readonly sessionOf: (session: string) => Effect.Effect<Session | undefined, SqlError>
    /** The key of a paid session of this kind. */
    readonly keyOf: (
      session: string,
      kind: "one_shot" | "subscription"
    ) => Effect.Effect<typeof SessionKey.Type, SessionOver | SessionUnknown | SqlError>
    /** URL where a subscriber changes the card or cancels. */
    readonly portal: (
      account: Account,
      baseUrl: string
    ) => Effect.Effect<string, CardsUnavailable | SessionUnknown | SqlError>
  }
>()("core/credits/card/Cards") {
  static readonly layer = Layer.effect(
    Cards,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* Accounts
      const secret = yield* Secret
      const random = yield* SecureRandom
      const processor = yield* CardProcessor
      const mode = yield* KeyMode

      const place = Effect.fnUntraced(function* (draft: Draft, baseUrl: string) {
        if (processor === null) return yield* CardsUnavailable.notConfigured()
        const key = yield* checkKey(draft.idempotencyKey)
        const request = yield* bodyHash(draft.request)
        const fresh = `ord_${Hex.encode(yield* random.randomBytes(16))}`
        yield* sql`
          insert into card_order (id, kind, sku, amount, account, scope, idempotency_key, request_sha256, created_at)
          values (${fresh}, ${draft.kind}, ${draft.sku}, ${draft.amount}, ${draft.account ?? null}, ${draft.scope},
            ${key ?? null}, ${request}, ${new Date(yield* Clock.currentTimeMillis)})
          on conflict (scope, idempotency_key) do nothing`
        const [order] = yield* sql`
          select id, request_sha256, session, url, amount from card_order
          where ${key === undefined ? sql`id = ${fresh}` : sql`scope = ${draft.scope} and idempotency_key = ${key}`}`.pipe(
          placedRows
        )
        if (order === undefined) return yield* Effect.die(new Error("an order that was written is not there"))
        if (order.request_sha256 !== request) return yield* IdempotencyKeyReused.of()
        if (order.session !== null && order.url !== null) {
          return { session: order.session, url: order.url, amount: order.amount }
        }

        const checkout = processor.checkout({
          order: order.id,
          mode: draft.kind === "subscription" ? "subscription" : "payment",
          amount: order.amount,
          title: draft.title,
          sku: draft.sku,
          ...(draft.customer === undefined ? {} : { customer: draft.customer }),
          ...(draft.email === undefined ? {} : { email: draft.email }),
          successUrl: draft.successUrl,
          cancelUrl: `${baseUrl}/products`
        })
        const { session, url } = yield* Effect.mapError(checkout, unavailable)
        yield* sql`update card_order set session = ${session}, url = ${url} where id = ${order.id}`
        return { session, url, amount: order.amount }
      })

      return Cards.of({
        areTaken: processor !== null,

        sessionOf: Effect.fn("Cards.sessionOf")(function* (session) {
          const [order] = sessionId.test(session)
            ? yield* sql`
                select kind, sku, amount, state, scope from card_order where session = ${session}`.pipe(
                sessionRows
              )
            : []
          if (order === undefined) return undefined
          const { amount, kind, scope, sku, state } = order
          const amountUsd = toNumber(amount)
          const toExistingKey = !scope.startsWith(networkScope)
          return { kind, state, amountUsd, toExistingKey, title: skuOf(sku)?.title ?? packTitle(amountUsd) }
        }),

        topUp: Effect.fn("Cards.topUp")(function* (account, amount, baseUrl, idempotencyKey) {
          const micros = parseUnknown(amount)
          const pack = packs.find((each) => each === micros)
          if (pack === undefined) return menu
          const { amount: charged, url } = yield* place(
            {
              kind: "topup",
              sku: `pack_${toNumber(pack)}`,
              amount: pack,
              title: packTitle(toNumber(pack)),
              account: account.id,
              scope: account.id,
              request: { method: "stripe", amount: toNumber(pack) },
              idempotencyKey,
              successUrl: paidUrl(baseUrl)
            },
            baseUrl
          )
          return { status: "stripe_payment_link", checkout_url: url, amount: toNumber(charged) }
        }),

        order: Effect.fn("Cards.order")(function* (request, network, baseUrl, idempotencyKey) {
          const sku = skuOf(request.sku)
          if (sku === undefined) return yield* skuUnknown(request.sku, Object.keys(skus))
          const email = yield* checkEmail(request.email)
          const keyUrl = `${baseUrl}${sku.tier === undefined ? "/v1/credits/by_session" : "/v1/key/by-session"}`
          const { session, url } = yield* place(
            {
              kind: sku.tier === undefined ? "one_shot" : "subscription",
              sku: request.sku,
              amount: sku.amount,
              title: sku.title,
              ...(email === undefined ? {} : { email }),
              scope: `${networkScope}${Hex.encode(secret.hmac("orders", network))}`,
              request,
              idempotencyKey,
              successUrl: paidUrl(baseUrl)
            },
            baseUrl
          )
          return {
            checkout_url: url,
            sku: request.sku,
            price_usd: toNumber(sku.amount),
            key_url: `${keyUrl}?session_id=${encodeURIComponent(session)}`
          }
        }),

        subscribe: Effect.fn("Cards.subscribe")(function* (
          account,
          { customer, name },
          baseUrl,
          idempotencyKey
        ) {
          if (processor === null) return yield* CardsUnavailable.notConfigured()
          const sku = skuOf(name)
          if (sku?.tier === undefined) return yield* skuUnknown(name, subscriptionSkus)
          // Two open checkouts could both be paid.
          const open = yield* sql`
            select id, session from card_order where account = ${account.id} and kind = 'subscription'
              and state = 'open' and session is not null and sku <> ${name} limit 100`.pipe(openRows)
          for (const { id, session } of open) {
            if (!(yield* Effect.mapError(processor.expire(session), unavailable))) {
              return yield* SubscriptionPending.of()
            }
            yield* sql`update card_order set state = 'closed', note = 'replaced' where id = ${id} and state = 'open'`
          }
          return yield* place(
            {
              kind: "subscription",
              sku: name,
              amount: sku.amount,
              title: sku.title,
              account: account.id,
              ...(customer === undefined ? {} : { customer }),
              scope: account.id,
              request: { subscription: name },
              idempotencyKey,
              successUrl: paidUrl(baseUrl)
            },
            baseUrl
          )
        }),

        keyOf: Effect.fn("Cards.keyOf")(function* (session, kind) {
          const [order] = sessionId.test(session)
            ? yield* sql`
                select account, paid_at from card_order
                where session = ${session} and kind = ${kind} and state = 'paid'`.pipe(paidRows)
            : []
          if (order?.account == null || order.paid_at === null) return yield* SessionUnknown.of()
          if ((yield* Clock.currentTimeMillis) - order.paid_at.getTime() > revealMs)
            return yield* SessionOver.of()
          const key = sessionKey(secret, mode, session)
          const [live] = yield* sql`
            select 1 as one from api_key where hash = ${sha256(key)} and ended_at is null`
          const account = yield* accounts.find(order.account)
          if (live === undefined || account === undefined) return yield* SessionOver.of()
          return {
            api_key: key,
            credits_balance: toNumber(account.balance),
            tier: tiers[account.tier].title,
            message: "Save the key: this URL returns it only for 24 hours after payment."
          }
        }),

        portal: Effect.fn("Cards.portal")(function* (account, baseUrl) {
          if (processor === null) return yield* CardsUnavailable.notConfigured()
          const [subscription] = yield* sql`
            select customer from subscription where account = ${account.id} and customer is not null
            order by told_at desc limit 1`.pipe(customerRows)
          if (subscription === undefined) {
            return yield* new SessionUnknown({ message: "This key has no subscription." })
          }
          return yield* processor
            .portal(subscription.customer, `${baseUrl}/account`)
            .pipe(Effect.mapError(unavailable))
        })
      })
    })
  )
}

/** What the scope of an order without a key begins with; that of others is their account. */
const networkScope = "net:"

/** Why nothing can be paid by card on a service without a processor. */
export const cardsNotTaken = "This service takes no cards."

export const unavailable = ({ message }: CardsUnreachable) => new CardsUnavailable({ message })

export const skuUnknown = (sku: string, valid_values: ReadonlyArray<string>) =>
  new BadParameter({
    field: "sku",
    message: `Unknown sku ${JSON.stringify(sku.slice(0, 60))}. Valid: ${valid_values.join(", ")}.`,
    valid_values
  })

const packTitle = (credits: number): string => `Plumbline: ${credits} credits`

/** The page that waits for the payment; Stripe puts in the id. */
const paidUrl = (baseUrl: string): string => `${baseUrl}/paid?session_id={CHECKOUT_SESSION_ID}`

const sessionId = /^[A-Za-z0-9_]{1,255}$/

/** The key of a session's account, derived so that only its hash is stored. */
export const sessionKey = (secret: Secret["Service"], mode: KeyMode, session: string): string =>
  keyOf(mode, secret.hmac("session key", session))
