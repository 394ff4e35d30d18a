/** The credit services over a test's database, with products made for tests. */

import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type * as SqlClient from "effect/sql/SqlClient"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Callers } from "../../core/credits/Callers.ts"
import { CardEvents } from "../../core/credits/card/CardEvents.ts"
import { CardProcessor } from "../../core/credits/card/CardProcessor.ts"
import { Cards } from "../../core/credits/card/Cards.ts"
import { Subscriptions } from "../../core/credits/card/Subscriptions.ts"
import { Chain } from "../../core/credits/chain/Chain.ts"
import { Deposits } from "../../core/credits/chain/Deposits.ts"
import { Wallets } from "../../core/credits/chain/Wallets.ts"
import { Watch } from "../../core/credits/chain/Watch.ts"
import { EncoderKeys } from "../../core/credits/EncoderKeys.ts"
import { Keys } from "../../core/credits/keys/Keys.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import { type Product, Products } from "../../core/credits/Product.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import { Parts } from "../../core/credits/part/Parts.ts"
import { Secret } from "../../core/credits/Secret.ts"
import { Statement } from "../../core/credits/Statement.ts"
import { type Settler, X402Settler } from "../../core/credits/x402/Settler.ts"
import { X402 } from "../../core/credits/x402/X402.ts"

/** Any bytes do: a test never tells them to anyone. */
export const secret = Secret.layer(Redacted.make(new Uint8Array(32).fill(7)))

/** Everything of the room that needs nothing outside, over `database`. */
export const credits = <E, R, D = never>(
  database: Layer.Layer<SqlClient.SqlClient | D, E, R>,
  products:
    | ReadonlyArray<Product>
    | Effect.Effect<ReadonlyArray<Product>, never, EncoderKeys | SqlClient.SqlClient | D> = [],
  outside: {
    readonly cards?: CardProcessor
    readonly chain?: Chain
    readonly settler?: Settler
  } = {}
) =>
  Layer.mergeAll(
    Purchases.layer.pipe(Layer.provide(Parts.layer)),
    Callers.layer,
    Keys.layer,
    Statement.layer.pipe(Layer.provideMerge(Subscriptions.layer), Layer.provideMerge(Cards.layer)),
    CardEvents.layer,
    Deposits.layer,
    X402.layer
  ).pipe(
    Layer.provideMerge(Layer.merge(Wallets.layer, Watch.layer)),
    Layer.provide(Layer.succeed(CardProcessor, outside.cards ?? null)),
    Layer.provide(Layer.succeed(Chain, outside.chain ?? null)),
    Layer.provide(Layer.succeed(X402Settler, outside.settler ?? null)),
    Layer.provideMerge(Accounts.layer),
    Layer.provideMerge(Ledger.layer),
    Layer.provideMerge(Products.layer(Effect.isEffect(products) ? products : Effect.succeed(products))),
    Layer.provideMerge(EncoderKeys.layer),
    Layer.provideMerge(Layer.mergeAll(secret, SecureRandom.layerWebCrypto)),
    Layer.provideMerge(database)
  )

/** A new account with its key and what the starter offer gave it. */
export const register = Effect.fnUntraced(function* (network: string) {
  const accounts = yield* Accounts
  const { api_key } = yield* accounts.register({}, network)
  const key = Redacted.make(api_key)
  return { key, current: accounts.authenticate(key), ...(yield* accounts.authenticate(key)) }
})

/** Credits from the operator. */
export const grant = Effect.fnUntraced(function* (account: string, amount: bigint, key: string) {
  return yield* (yield* Ledger).credit(account, amount, "operator", {
    cause: "operator_grant",
    reference: account,
    key: `operator_grant:${key}`
  })
})
