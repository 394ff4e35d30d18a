/** Price bars and their provenance. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"

export const Bar = Schema.Struct({
  as_of: Schema.String.annotate({
    format: "date-time",
    description: "The last millisecond of the bar: ISO 8601 in UTC"
  }),
  open: Schema.Finite.annotate({ description: "First price, in US dollars" }),
  high: Schema.Finite.annotate({ description: "Highest price, in US dollars" }),
  low: Schema.Finite.annotate({ description: "Lowest price, in US dollars" }),
  close: Schema.Finite.annotate({ description: "Last price, in US dollars" }),
  volume: Schema.Finite.annotate({ description: "Tokens traded" })
}).annotate({ identifier: "Bar", description: "One closed price bar" })
export interface Bar extends Schema.Schema.Type<typeof Bar> {}

export const Asset = {
  symbol: described.symbol,
  source: described.source,
  verify_url: described.verify_url,
  simulated: described.simulated
}
