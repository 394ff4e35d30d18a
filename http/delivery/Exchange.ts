/** What the parts of one request tell each other: given anew to each by `deliver`. */
import { Context, Effect } from "effect"

export interface Exchange {
  /** Set by the endpoint's contract: how long the answer holds. */
  lasts: "snapshot" | "moment"
  /** Epoch milliseconds of the data clock at which it ends in any case. */
  until: number
  /** Headers of the answer beside those that its handler gives it. */
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

/** Says of the running request that its answer holds until a time of the data clock at most. */
export const holdsUntil = (until: number): Effect.Effect<void> =>
  Effect.map(Exchange, (exchange) => {
    exchange.until = until
  })

/** Says of the running request that its answer holds only now, whatever its endpoint says. */
export const momentary: Effect.Effect<void> = Effect.map(Exchange, (exchange) => {
  exchange.lasts = "moment"
})
