/** The price list of this service, with what is so only now: what can be delivered, what it covers, how it can be paid. */
import { Effect } from "effect"
import { StarterOffer } from "../credits/Accounts.ts"
import { KeyMode, testMark } from "../credits/keys/KeyMode.ts"
import { LimitSettings } from "../credits/Limits.ts"
import { Purchases } from "../credits/Purchases.ts"
import { pricing } from "../credits/pricing.ts"
import { WarrantyTerms } from "../credits/warranty/terms.ts"
import { waysHere } from "../credits/waysToPay.ts"
import { reach } from "./subscriptionCoverage.ts"

const facts = Effect.gen(function* () {
  const { built, coverage } = yield* Purchases
  return {
    built,
    coverage: yield* coverage,
    ways: yield* waysHere,
    free: yield* LimitSettings,
    starter: (yield* StarterOffer).credits,
    terms: yield* WarrantyTerms
  }
})

/** Without what subscriptions read, which a page of products does not say. */
export const productPrices = Effect.map(facts, pricing)

/** The whole, as `GET /v1/credits/pricing` has it. */
export const priceList = Effect.gen(function* () {
  return { ...testMark(yield* KeyMode), ...pricing({ ...(yield* facts), reach: yield* reach }) }
})
