/** State shared by the parts that handle one request; `deliver` makes one for each. */
import { Context, Effect } from "effect"

export interface Exchange {
  /** How long the response stays valid; set by the endpoint's contract. */
  lasts: "snapshot" | "moment"
  /** When it expires at the latest, in epoch milliseconds of the data clock. */
  until: number
  /** Headers to add to those of the handler. */
  headers: Readonly<Record<string, string>>
}

export const Exchange = Context.Reference<Exchange>("http/delivery/Exchange", {
  defaultValue: () => fresh()
})

export const fresh = (): Exchange => ({
  lasts: "moment",
  until: Number.POSITIVE_INFINITY,
  headers: {}
})

/** Limits the validity of the current response to a time of the data clock. */
export const holdsUntil = (until: number): Effect.Effect<void> =>
  Effect.map(Exchange, (exchange) => {
    exchange.until = until
  })

/** Prevents the current response from being cached, whatever its endpoint says. */
export const momentary: Effect.Effect<void> = Effect.map(Exchange, (exchange) => {
  exchange.lasts = "moment"
})
