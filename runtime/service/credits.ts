/** The credit services, wired to the settings and to outside parties. */

import { join } from "node:path"
import { Effect, Layer, Option, Redacted } from "effect"
import { findSymbol } from "../../core/catalog/lookup.ts"
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
import { LimitSettings, Limits } from "../../core/credits/Limits.ts"
import { usd } from "../../core/credits/Money.ts"
import { NewestCheckpoint } from "../../core/credits/NewestCheckpoint.ts"
import { Products } from "../../core/credits/Product.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import { Parts } from "../../core/credits/part/Parts.ts"
import { Statement } from "../../core/credits/Statement.ts"
import { WarrantyTerms } from "../../core/credits/warranty/terms.ts"
import { Warranty } from "../../core/credits/warranty/Warranty.ts"
import { Log, LogKey } from "../../core/log/Log.ts"
import { ProcessState } from "../../core/process/ProcessState.ts"
import { program } from "../../core/process/program.ts"
import { products } from "../../core/products/builds.ts"
import { ProfiledNetwork } from "../../core/products/depin_health_profile/build.ts"
import type { Warning } from "../../core/wire/log/readiness.ts"
import { RateLimits as HttpLimits } from "../../http/delivery/RateLimits.ts"
import { onDuty } from "../cluster/Duties.ts"
import { Settings, SettingsError } from "../settings/Settings.ts"
import * as PayloadFiles from "./payloadFiles.ts"
import { addressOf, checked, tokenOf } from "./usdc.ts"
import { perRequest, settlementWarnings, x402Settler } from "./x402.ts"

const limitSettings = Layer.effect(
  LimitSettings,
  Effect.map(Settings, ({ keylessPerDay, keylessPerMinute }) => ({
    perDay: keylessPerDay,
    perMinute: keylessPerMinute
  }))
)

/** Where the payloads are kept that are made once and sold many times. */
const payloadFiles = Layer.unwrap(
  Effect.map(Settings, ({ dataDir }) => PayloadFiles.layer(join(dataDir, "payloads")))
)

/** The network offered as the health-profile product. */
export const profiledNetwork = Layer.effect(
  ProfiledNetwork,
  Effect.gen(function* () {
    const { healthProfileNetwork: named } = yield* Settings
    const result = findSymbol(named)
    if ("symbol" in result) return result.symbol
    const near = result.suggestions.length === 0 ? "" : ` Did you mean ${result.suggestions.join(", ")}?`
    return yield* new SettingsError({
      message: `HEALTH_PROFILE_NETWORK: unknown symbol ${named} (expected e.g. FIL).${near}`
    })
  })
)

/** The served head of the log, which receipts name. */
const newestCheckpoint = Layer.effect(
  NewestCheckpoint,
  Effect.gen(function* () {
    const log = yield* Log
    const { origin } = yield* LogKey
    return Effect.map(log.served, ({ note, root, size }) => (note === null ? null : { origin, size, root }))
  })
)

/** Stripe, if the operator has configured it. */
export const cardProcessor = Layer.effect(
  CardProcessor,
  Effect.gen(function* () {
    const { stripeApiBase, stripeSecretKey, stripeWebhookSecret } = yield* Settings
    if (Option.isNone(stripeSecretKey) || Option.isNone(stripeWebhookSecret)) return null
    const { make } = yield* Effect.promise(() => import("../outside/stripe.ts"))
    return make({
      secretKey: stripeSecretKey.value,
      // Two secrets, comma-separated, while one is being rotated.
      webhookSecrets: Redacted.value(stripeWebhookSecret.value)
        .split(",")
        .map((each) => Redacted.make(each.trim())),
      ...(Option.isNone(stripeApiBase) ? {} : { apiBase: stripeApiBase.value })
    })
  })
)

/** The chain for stablecoin top-ups; null if the operator has not configured one. */
export const depositChain = Effect.gen(function* () {
  const settings = yield* Settings
  if (Option.isNone(settings.evmRpcUrl) || Option.isNone(settings.depositAddress)) return null
  const { evmChainId: chainId } = settings
  const rpcUrl = Redacted.value(settings.evmRpcUrl.value)
  const depositAddress = yield* addressOf("DEPOSIT_ADDRESS", settings.depositAddress.value)
  const token = yield* addressOf("USDC_ADDRESS", yield* tokenOf(settings))
  // The EVM library is a fifth of all modules: it is loaded only if a chain is configured.
  const [{ makeToken }, { make }] = yield* Effect.promise(() =>
    Promise.all([import("../outside/x402/token.ts"), import("../outside/evm.ts")])
  )
  const { readTerms } = makeToken({ rpcUrl, chainId, asset: token, payTo: depositAddress })
  yield* checked(readTerms, "no transfer is credited")
  return make({ rpcUrl, chainId, token, depositAddress })
})

/** Polls the chain for transfers. */
export const watching = Layer.effectDiscard(
  Effect.flatMap(Watch, ({ look }) => onDuty("reading the chain's transfers", "15 seconds", look))
)

const stablecoins = watching.pipe(
  Layer.provideMerge(Deposits.layer),
  Layer.provideMerge(Layer.merge(Wallets.layer, Watch.layer))
)

/** What the operator promises of what is sold. */
const warrantyTerms = Layer.effect(
  WarrantyTerms,
  Effect.map(Settings, ({ warranty }) =>
    warranty === undefined
      ? undefined
      : {
          ...warranty,
          perSale: usd(warranty.perSale),
          perDay: usd(warranty.perDay),
          inTotal: usd(warranty.inTotal)
        }
  )
)

/** What `/readyz` says while payments of the warranty wait for the operator, and while none can be settled. */
export const saleWarnings = Layer.effect(
  ProcessState,
  Effect.gen(function* () {
    const process = yield* ProcessState
    const { stopped } = yield* Warranty
    const settlement = yield* settlementWarnings
    const warnings = Effect.map(
      Effect.all([process.warnings, stopped, settlement]),
      ([others, n, ofSettlement]) => [...others, ...(n === 0 ? [] : [stoppedWarning(n)]), ...ofSettlement]
    )
    return { ...process, warnings }
  })
)

const stoppedWarning = (n: number): Warning => ({
  code: "warranty_stopped",
  message: `${n === 1 ? "One payment of a warranty is stopped and waits" : `${n} payments of warranties are stopped and wait`} for your decision: ${program} money warranty.`
})

/** The configured payment methods. Selling and describing how to pay both read them here. */
const waysToPay = Layer.mergeAll(cardProcessor, Layer.effect(Chain, depositChain), x402Settler)

/** Everything the HTTP API needs to sell, on top of `accounts`. */
export const selling = Layer.merge(HttpLimits.layer.pipe(Layer.provide(Limits.layer)), saleWarnings).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Layer.merge(Purchases.layer, perRequest).pipe(Layer.provide([newestCheckpoint, Parts.layer])),
      Callers.layer,
      Keys.layer,
      Statement.layer.pipe(Layer.provideMerge(Subscriptions.layer), Layer.provideMerge(Cards.layer)),
      CardEvents.layer,
      Warranty.layer,
      stablecoins
    ).pipe(Layer.provide(waysToPay))
  ),
  Layer.provideMerge(Products.layer(products).pipe(Layer.provide([profiledNetwork, payloadFiles]))),
  Layer.provideMerge(EncoderKeys.layer),
  // Read by the limits themselves and by the pages that document them.
  Layer.provideMerge(Layer.merge(limitSettings, warrantyTerms))
)
