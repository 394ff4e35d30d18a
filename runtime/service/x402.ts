/** Payment per request, settled with our own key or through a facilitator, as configured. */
import { Effect, Layer, Option, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Settler, X402Settler } from "../../core/credits/x402/Settler.ts"
import { X402 } from "../../core/credits/x402/X402.ts"
import { inBackground } from "../../core/process/loop.ts"
import type { Warning } from "../../core/wire/log/readiness.ts"
import { onDuty } from "../cluster/Duties.ts"
import { databaseNonceLock } from "../outside/x402/nonceLock.ts"
import { Settings, SettingsError } from "../settings/Settings.ts"
import { paymentKey } from "./paymentKey.ts"
import { addressOf, checked, tokenOf } from "./usdc.ts"

const wrong = (message: string) => new SettingsError({ message })

/** The settler that the settings ask for; null for none. */
export const settler = Effect.gen(function* () {
  const settings = yield* Settings
  const { evmRpcUrl, x402FacilitatorUrl, x402PayTo, x402SettlerKey } = settings
  if (Option.isNone(x402FacilitatorUrl) && Option.isNone(x402SettlerKey)) {
    if (Option.isSome(x402PayTo)) {
      return yield* wrong("X402_PAY_TO needs X402_SETTLER_KEY or X402_FACILITATOR_URL; set one of them")
    }
    return null
  }
  if (Option.isSome(x402FacilitatorUrl) && Option.isSome(x402SettlerKey)) {
    return yield* wrong("X402_SETTLER_KEY and X402_FACILITATOR_URL are both set; set only one of them")
  }
  if (Option.isNone(x402PayTo))
    return yield* wrong("X402_PAY_TO must be set: the address that receives the payments")
  if (Option.isNone(evmRpcUrl))
    return yield* wrong("EVM_RPC_URL must be set, because payments are checked on the chain")
  const payTo = yield* addressOf("X402_PAY_TO", x402PayTo.value)
  // One transfer would count both as a sale and as a top-up.
  if (Option.getOrUndefined(settings.depositAddress)?.toLowerCase() === payTo.toLowerCase()) {
    return yield* wrong(
      "X402_PAY_TO and DEPOSIT_ADDRESS are the same, so one transfer would count twice; use two addresses"
    )
  }
  const where = {
    rpcUrl: Redacted.value(evmRpcUrl.value),
    chainId: settings.evmChainId,
    asset: yield* addressOf("USDC_ADDRESS", yield* tokenOf(settings)),
    payTo
  }
  // Loaded only if configured: the EVM library is a fifth of all modules.
  const implementation = Option.isSome(x402SettlerKey)
    ? (yield* Effect.promise(() => import("../outside/x402/self.ts"))).make({
        ...where,
        key: yield* paymentKey(settings, x402SettlerKey.value),
        ...(Option.isSome(settings.databaseUrl)
          ? { nonceLock: databaseNonceLock(yield* SqlClient.SqlClient) }
          : {})
      })
    : (yield* Effect.promise(() => import("../outside/x402/facilitator.ts"))).make({
        ...where,
        url: Option.getOrThrow(x402FacilitatorUrl).href
      })
  yield* checked(implementation.readTerms, "nothing is sold per request")
  return implementation.settler satisfies Settler
})

/** Completes pending sales, at the start and from then on. */
export const completing = Layer.effectDiscard(
  Effect.flatMap(X402, ({ complete }) => onDuty("following up x402 sales", "10 seconds", complete))
)

/**
 * What `/readyz` says while payments cannot be settled: none, or one. It is looked at in the background, so that a probe asks
 * no chain.
 */
export const settlementWarnings = Effect.gen(function* () {
  const settler = yield* X402Settler
  if (settler === null) return Effect.succeed<ReadonlyArray<Warning>>([])
  let short = yield* settler.unfunded
  yield* inBackground(
    "looking at the gas of settlements",
    "15 seconds",
    Effect.map(settler.unfunded, (now) => {
      short = now
    })
  )
  return Effect.sync(
    (): ReadonlyArray<Warning> =>
      short === undefined
        ? []
        : [
            {
              code: "settlement_unavailable",
              message: `Nothing is sold per request: ${short} Send gas to the account of X402_SETTLER_KEY.`
            }
          ]
  )
})

export const x402Settler = Layer.effect(X402Settler, settler)

export const perRequest = Layer.provideMerge(completing, X402.layer)
