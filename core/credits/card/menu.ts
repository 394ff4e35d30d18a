/** The response to a card top-up whose amount is not one of the packs. */
import type { Menu } from "../../wire/credits/card.ts"
import { toNumber } from "../Money.ts"
import { oneShot, packs } from "../pricing.ts"
import { oneShotSku } from "./sku.ts"

export const menu: typeof Menu.Type = {
  status: "menu",
  message: "amount must be one of valid_amounts for a card top-up (USD). Nothing was charged.",
  valid_amounts: packs.map(toNumber),
  one_shot: {
    sku: oneShotSku,
    amount: toNumber(oneShot),
    how: "POST /buy/api/order; no account needed"
  }
}
