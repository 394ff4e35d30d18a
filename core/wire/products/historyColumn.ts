/** One daily series in columns. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"

const date = (description: string) => Schema.String.annotate({ format: "date", description })

export const HistoryColumn = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  unit: Schema.String.annotate({ description: "Unit of the values, as listed in /v1/data-dictionary" }),
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  simulated: described.simulated,
  dates: Schema.Array(date("UTC day")).annotate({
    description: "Days with an accepted reading, oldest first; other days are absent"
  }),
  open_from: Schema.optionalKey(
    date("The first of `dates` that is not closed yet: its value and later ones can still change")
  ),
  values: Schema.Array(Schema.Finite).annotate({
    description: "The last accepted reading of each date"
  })
}).annotate({ identifier: "HistoryColumn", description: "One series" })
export interface HistoryColumn extends Schema.Schema.Type<typeof HistoryColumn> {}
