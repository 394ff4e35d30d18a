/** What operators' commands for money need: Stripe and the chain as configured, opened for one command. */
import { Effect, Layer, Option, Redacted } from "effect"
import { Bookkeeping } from "../../core/credits/books/Bookkeeping.ts"
import { Chain, SalesChain } from "../../core/credits/chain/Chain.ts"
import { Settings } from "../settings/Settings.ts"
import { cardProcessor, depositChain } from "./credits.ts"
import { addressOf, tokenOf } from "./usdc.ts"

/** The chain, seen from the address that is paid per request. */
const salesChain = Effect.gen(function* () {
  const settings = yield* Settings
  if (Option.isNone(settings.evmRpcUrl) || Option.isNone(settings.x402PayTo)) return null
  const { make } = yield* Effect.promise(() => import("../outside/evm.ts"))
  return make({
    rpcUrl: Redacted.value(settings.evmRpcUrl.value),
    chainId: settings.evmChainId,
    depositAddress: yield* addressOf("X402_PAY_TO", settings.x402PayTo.value),
    token: yield* addressOf("USDC_ADDRESS", yield* tokenOf(settings))
  })
})

export const books = Bookkeeping.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(cardProcessor, Layer.effect(Chain, depositChain), Layer.effect(SalesChain, salesChain))
  ),
  Layer.provide(Settings.layer)
)
