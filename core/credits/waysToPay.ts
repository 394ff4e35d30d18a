/**
 * By which ways can be paid here. Pages, price list, API, MCP and refusals all ask this file; nobody else looks at whether a
 * processor, a chain or a settler is set up.
 */
import { Effect } from "effect"
import type { WaysHere, WayToPay } from "../wire/credits/pricing.ts"
import { CardProcessor } from "./card/CardProcessor.ts"
import { Cards, cardsNotTaken } from "./card/Cards.ts"
import { Chain } from "./chain/Chain.ts"
import { Deposits } from "./chain/Deposits.ts"
import { X402Settler } from "./x402/Settler.ts"
import { X402 } from "./x402/X402.ts"

/** What the service is set up to take, whether or not it can be reached at the moment. */
export interface Accepted {
  readonly card: boolean
  readonly stablecoin: boolean
  /** Sales without an account: x402 and MPP. */
  readonly perRequest: boolean
}

export const accepted: Effect.Effect<Accepted> = Effect.gen(function* () {
  return {
    card: (yield* CardProcessor) !== null,
    stablecoin: (yield* Chain) !== null,
    perRequest: (yield* X402Settler) !== null
  }
})

const here = (reason: string | undefined): WaysHere[WayToPay] =>
  reason === undefined ? { available: true } : { available: false, reason }

/** Every way to pay and whether it is open now, with the reason why it is not. */
export const waysHere: Effect.Effect<WaysHere, never, Cards | Deposits | X402> = Effect.gen(function* () {
  const { areTaken } = yield* Cards
  const { enabled, reason } = yield* (yield* Deposits).status
  const perRequest = here(yield* (yield* X402).closed)
  return {
    credits: { available: true },
    card: here(areTaken ? undefined : cardsNotTaken),
    stablecoin: here(enabled ? undefined : reason),
    x402: perRequest,
    mpp: perRequest
  }
})
