/** The ways to pay. */
import { Schema } from "effect"

export const WayToPay = Schema.Literals(["credits", "card", "stablecoin", "x402", "mpp"])
export type WayToPay = typeof WayToPay.Type

export const WayHere = Schema.Struct({
  available: Schema.Boolean.annotate({ description: "Whether this service takes it now" }),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why not; absent if it is available" }))
}).annotate({ identifier: "WayHere", description: "Whether one way to pay is open" })

/** Every way, open or not. */
export type WaysHere = Readonly<Record<WayToPay, typeof WayHere.Type>>
