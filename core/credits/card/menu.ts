/** What a card top-up of another amount than a pack is told. */
import type { Menu } from "../../wire/credits/card.ts"
import { toNumber } from "../Money.ts"
import { oneShot, packs } from "../pricing.ts"

export const menu: typeof Menu.Type = {
  status: "menu",
  message: "A card top-up takes one of valid_amounts, in USD. Nothing was charged.",
  valid_amounts: packs.map(toNumber),
  one_shot: {
    sku: "dp_credits_499",
    amount: toNumber(oneShot),
    how: "POST /buy/api/order, without an account"
  }
}
