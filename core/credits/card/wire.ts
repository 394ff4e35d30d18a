/** Card top-ups, orders and session look-ups on the wire, and how they are refused. */

import { Schema } from "effect"
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

/** Cards are not set up on this service. */
export class CardsUnavailable extends Schema.TaggedError<CardsUnavailable>()("CardsUnavailable", {
  message: Schema.String
}) {
  static readonly of = () =>
    new CardsUnavailable({
      message: "Card payments are not set up on this service (STRIPE_SECRET_KEY). Nothing was charged."
    })
}

/** No paid session with this id: one that never was, one of another kind and one not paid yet are the same. */
export class SessionUnknown extends Schema.TaggedError<SessionUnknown>()("SessionUnknown", {
  message: Schema.String
}) {
  static readonly of = () =>
    new SessionUnknown({
      message: "No paid session with this id. A payment may take a minute to arrive; ask again."
    })
}

/** The 24 hours in which a session gives its key are over, or the key was rotated. */
export class SessionOver extends Schema.TaggedError<SessionOver>()("SessionOver", {
  message: Schema.String
}) {
  static readonly of = () =>
    new SessionOver({
      message: "This session gave its key for 24 hours after payment. Use the key that it gave then."
    })
}
