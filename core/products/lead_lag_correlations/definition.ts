/** `lead_lag_correlations`: which assets' hourly changes lead those of others. */
import { Schema } from "effect"
import { Asset, Bar } from "../../wire/products/bars.ts"
import { head, natural, textField } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const LeadLagRow = Schema.Struct({
  leader: textField("The leading asset"),
  follower: textField("The following asset"),
  lag_hours: natural("Lag in hours; at lag 0 each pair appears once"),
  n: natural("Pairs of hours"),
  r: Schema.Finite.annotate({ description: "Pearson correlation, -1 to 1" }),
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
    n_tests: natural("Correlations in the run; q is computed over these"),
    n_left_out: natural("Pair and lag combinations left out: too few common hours, or a constant series")
  }).annotate({ description: "The run" }),
  assets: Schema.Array(
    Schema.Struct({
      ...Asset,
      as_of: Bar.fields.as_of.annotate({ description: "End of the newest bar" }),
      n_bars: natural("Number of bars")
    })
  ).annotate({
    description: "Provenance of the bars"
  }),
  correlations: Schema.Array(LeadLagRow).annotate({
    description: "Sorted by p, then leader, follower and lag"
  })
}).annotate({ identifier: "LeadLag", description: "Hourly lead-lag correlations" })
export interface LeadLag extends Schema.Schema.Type<typeof LeadLag> {}

export default define({
  key: "lead_lag_correlations",
  title: "Lead lag correlations",
  schema: LeadLag,
  sale: {
    content: "Hourly lead-lag runs with r, p and a within-run BH q-value",
    price: "7.99"
  },
  view: {
    path: "/v1/lead-lag",
    title: "Which assets lead others",
    capability: "engines",
    section: "Comparisons"
  }
})
