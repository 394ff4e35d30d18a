/** Which token is USDC, and whether the configured chain has it. */
import { Effect, Option } from "effect"
import type { Address } from "viem"
import * as Signature from "../../core/credits/chain/signature.ts"
import type { Token } from "../outside/x402/token.ts"
import { type Settings, SettingsError } from "../settings/Settings.ts"

/** Native USDC, the default token: from Circle's list of addresses, read 2026-11-20. */
const nativeUsdc: Readonly<Record<number, string>> = {
  8453: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  84532: "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
}

/** `USDC_ADDRESS`, or native USDC of the configured chain. */
export const tokenOf = Effect.fnUntraced(function* (settings: Settings["Service"]) {
  const token = Option.getOrUndefined(settings.usdcAddress) ?? nativeUsdc[settings.evmChainId]
  return (
    token ??
    (yield* new SettingsError({
      message: `USDC_ADDRESS must be set for chain ${settings.evmChainId}: its native USDC is not known`
    }))
  )
})

/** An address in lower case or with a valid checksum: money sent to a mistyped address is lost. */
export const addressOf = (name: string, value: string): Effect.Effect<Address, SettingsError> =>
  Signature.addressOf(value) !== undefined
    ? Effect.succeed(`0x${value.slice(2)}` as const)
    : Effect.fail(
        new SettingsError({ message: `${name}: ${value} is not an address, or its checksum is wrong` })
      )

/**
 * Checks the settings against chain and token. A wrong chain id or a wrong token stops the start. A chain that does not
 * answer stops nothing; whatever needs it waits.
 */
export const checked = (readTerms: Token["readTerms"], waiting: string) =>
  readTerms.pipe(
    Effect.asVoid,
    Effect.catchTags({
      TermsWrong: ({ message }) => Effect.fail(new SettingsError({ message })),
      SettlerUnavailable: () => Effect.logWarning(`EVM_RPC_URL does not answer: ${waiting} until it does`)
    })
  )
