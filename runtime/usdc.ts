/** Which token is USDC. */
import { Effect, Option } from "effect"
import { type Settings, SettingsError } from "./settings.ts"

/** Native USDC where the operator names no other token: Circle's own list of addresses, read 2026-11-20. */
const nativeUsdc: Readonly<Record<number, string>> = {
  8453: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  84532: "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
}

/** `USDC_ADDRESS`, or native USDC of the configured chain. */
export const tokenOf = Effect.fnUntraced(function* (settings: Settings["Service"]) {
  const token = Option.getOrUndefined(settings.usdcAddress) ?? nativeUsdc[settings.evmChainId]
  return (
    token ??
    (yield* new SettingsError({ message: `USDC_ADDRESS must be set for chain ${settings.evmChainId}` }))
  )
})
