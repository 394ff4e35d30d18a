/** The invented market of the demo, as people see it first: its figures agree with each other and look like those of a market. */

import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

interface Coin {
  readonly id: string
  readonly current_price: number
  readonly market_cap: number
  readonly market_cap_rank: number | null
  readonly circulating_supply: number
  readonly fully_diluted_valuation: number | null
}

const pages = ["ok.1.json", "ok.2.json"].map(
  (file): ReadonlyArray<Coin> =>
    JSON.parse(readFileSync(new URL(`../../fixtures/coingecko/${file}`, import.meta.url), "utf8"))
)
const coins = pages.flat().filter(({ market_cap }) => market_cap > 0)

describe("the demo's market", () => {
  it("has few tokens that are worth less than a million dollars", () => {
    assert.isAbove(coins.length, 300)
    assert.isBelow(coins.filter(({ market_cap }) => market_cap < 1e6).length / coins.length, 0.1)
  })

  it("has market caps that are price times supply, below the diluted ones, and ranks in their order", () => {
    for (const { circulating_supply, current_price, fully_diluted_valuation, id, market_cap } of coins) {
      assert.approximately(market_cap / (current_price * circulating_supply), 1, 0.01, id)
      assert.isAtMost(market_cap, 1.01 * (fully_diluted_valuation ?? Number.POSITIVE_INFINITY), id)
    }
    const ranks = coins
      .filter(({ market_cap_rank }) => market_cap_rank !== null)
      .toSorted((a, b) => b.market_cap - a.market_cap)
      .map(({ market_cap_rank }) => market_cap_rank ?? 0)
    assert.deepStrictEqual(
      ranks,
      ranks.toSorted((a, b) => a - b)
    )
  })
})
