/** Who can buy: a new key holds five credits, and they do not pay for what costs more. */
import { assert, describe, it } from "@effect/vitest"
import { buyersOf } from "../../core/credits/buyers.ts"
import { usd } from "../../core/credits/Money.ts"
import type { WaysHere, WayToPay } from "../../core/wire/credits/pricing.ts"

const open = (...of: ReadonlyArray<WayToPay>): WaysHere => {
  const way = (name: WayToPay) =>
    of.includes(name) ? { available: true } : { available: false, reason: "no" }
  return {
    credits: { available: true },
    card: way("card"),
    stablecoin: way("stablecoin"),
    x402: way("x402"),
    mpp: way("mpp")
  }
}

const buyers = (price: string, isPerRequest: boolean, ...of: ReadonlyArray<WayToPay>) =>
  buyersOf({ price: usd(price), isPerRequest, ways: open(...of), starter: usd("5"), oneShot: usd("4.99") })

describe("who can pay a price", () => {
  it("is nobody where only starter credits are there and it costs more", () => {
    assert.deepStrictEqual(buyers("7.99", false), [])
    assert.deepStrictEqual(buyers("7.99", false, "x402"), [])
    assert.deepStrictEqual(buyers("4.99", false), ["keyless", "key"])
  })

  it("is a key where credits can be added, and a wallet where it is sold per request", () => {
    assert.deepStrictEqual(buyers("7.99", false, "card"), ["key"])
    assert.deepStrictEqual(buyers("7.99", true, "stablecoin", "x402"), ["key", "wallet"])
    assert.deepStrictEqual(buyers("9.99", true, "mpp"), ["wallet"])
  })
})
