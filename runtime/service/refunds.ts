/** The address that warranties are paid from on the chain, if the operator has set its key. */
import { Effect, Layer, Option, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { WarrantyRefunder } from "../../core/credits/warranty/Refunder.ts"
import { databaseNonceLock, type NonceLock } from "../outside/x402/nonceLock.ts"
import { Settings, SettingsError } from "../settings/Settings.ts"
import { paymentKey } from "./paymentKey.ts"
import { addressOf, checked, tokenOf } from "./usdc.ts"

const wrong = (message: string) => new SettingsError({ message })

/** The refunder that the settings ask for; null for none. Sends nothing without a turn at the nonces of its key. */
export const refunderOf = Effect.fnUntraced(function* (
  settings: Settings["Service"],
  nonceLock?: (address: string) => NonceLock
) {
  const { evmChainId: chainId, evmRpcUrl, warrantyRefundKey, x402SettlerKey } = settings
  if (Option.isNone(warrantyRefundKey)) return null
  if (Option.isNone(evmRpcUrl))
    return yield* wrong("WARRANTY_REFUND_KEY needs EVM_RPC_URL, because it pays on the chain")
  const key = yield* paymentKey(settings, "WARRANTY_REFUND_KEY", warrantyRefundKey.value)
  // Each counts the nonces of its own transactions.
  if (
    Option.map(x402SettlerKey, Redacted.value).pipe(
      Option.exists((text) => text.toLowerCase() === Redacted.value(key))
    )
  )
    return yield* wrong("WARRANTY_REFUND_KEY and X402_SETTLER_KEY are the same; use two keys")
  const { make } = yield* Effect.promise(() => import("../outside/x402/refunder.ts"))
  const implementation = make({
    rpcUrl: Redacted.value(evmRpcUrl.value),
    chainId,
    asset: yield* addressOf("USDC_ADDRESS", yield* tokenOf(settings)),
    key,
    waits: { every: "1 second", times: 5 },
    ...(nonceLock === undefined ? {} : { nonceLock })
  })
  yield* checked(implementation.readTerms, "no refund is sent")
  return implementation.refunder
})

/** The refunder of the running service. */
export const refunder = Effect.gen(function* () {
  const settings = yield* Settings
  return yield* refunderOf(
    settings,
    Option.isSome(settings.databaseUrl) ? databaseNonceLock(yield* SqlClient.SqlClient) : undefined
  )
})

export const warrantyRefunder = Layer.effect(WarrantyRefunder, refunder)
