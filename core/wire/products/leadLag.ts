/** `lead_lag_correlations`: which asset's hourly changes go before another's. */
import { Schema } from "effect"
import { Asset, Bar } from "./bars.ts"
import { head, natural, words } from "./payload.ts"

export const LeadLagRow = Schema.Struct({
  leader: words("The asset that goes before"),
  follower: words("The asset that comes after"),
  lag_hours: natural("Hours between the two; at 0 each pair stands once"),
  n: natural("Pairs of hours"),
  r: Schema.Finite.annotate({ description: "Pearson's correlation, -1 to 1" }),
  p: Schema.Finite.annotate({
    description: "Two-sided p-value of Student's t with n - 2 degrees of freedom"
  }),
  q: Schema.Finite.annotate({ description: "Benjamini-Hochberg q-value within this run" })
}).annotate({ identifier: "LeadLagRow", description: "One pair at one lag" })
export interface LeadLagRow extends Schema.Schema.Type<typeof LeadLagRow> {}

export const LeadLag = Schema.Struct({
  ...head,
  run: Schema.Struct({
    from: Schema.NullOr(Schema.String).annotate({
      format: "date-time",
      description: "End of the oldest bar"
    }),
    to: Schema.NullOr(Schema.String).annotate({ format: "date-time", description: "End of the newest bar" }),
    n_tests: natural("Correlations in the run: what q is computed over"),
    n_left_out: natural("Pairs at a lag with too few common hours or a constant side")
  }).annotate({ description: "The run" }),
  assets: Schema.Array(
    Schema.Struct({
      ...Asset,
      as_of: Bar.fields.as_of.annotate({ description: "End of its newest bar" }),
      n_bars: natural("Bars")
    })
  ).annotate({
    description: "Where the bars come from"
  }),
  correlations: Schema.Array(LeadLagRow).annotate({ description: "By p, then leader, follower and lag" })
}).annotate({ identifier: "LeadLag", description: "Hourly lead-lag correlations" })
export interface LeadLag extends Schema.Schema.Type<typeof LeadLag> {}
