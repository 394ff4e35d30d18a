/** What the parts of one request tell each other: given anew to each by `deliver`. */
import { Context, Effect } from "effect"

export interface Exchange {
  /** Set by the endpoint's contract: how long the answer holds. */
  lasts: "snapshot" | "moment"
}

export const Exchange = Context.Reference<Exchange>("http/delivery/Exchange", {
  defaultValue: () => ({ lasts: "moment" })
})

/** Says of the running request that its answer holds only now, whatever its endpoint says. */
export const momentary: Effect.Effect<void> = Effect.map(Exchange, (exchange) => {
  exchange.lasts = "moment"
})
