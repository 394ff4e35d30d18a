/** `/v1/divergence`: capacity against demand, network by network. */
import { Schema } from "effect"
import { described } from "../../wire/data/valueRow.ts"
import { head, natural, textField } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"
import { Citation } from "../depin_ai_intel/definition.ts"

const Side = Schema.Struct({
  from: Citation.annotate({ description: "The value a week before `to`" }),
  to: Citation.annotate({ description: "The value of the newest closed day of both series" }),
  from_date: Schema.String.annotate({ format: "date", description: "Day of `from`" }),
  to_date: Schema.String.annotate({ format: "date", description: "Day of `to`" }),
  change_pct: Schema.Finite.annotate({ description: "100 × (to - from) / |from|" })
}).annotate({ identifier: "DivergenceSide", description: "One series over a week" })

export const DivergenceRow = Schema.Struct({
  symbol: described.symbol,
  what: textField("What is compared"),
  capacity: Side,
  demand: Side,
  divergence_points: Schema.Finite.annotate({
    description: "Change of capacity minus change of demand, in percentage points"
  }),
  state: Schema.Literals(["capacity_ahead", "demand_ahead", "together"]).annotate({
    description: "Which side moved ahead by at least 10 percentage points; together: neither"
  }),
  utilisation_pct: Schema.optionalKey(
    Schema.Finite.annotate({
      description: "Demand as a share of capacity in percent, where demand is a part of it"
    })
  )
}).annotate({ identifier: "DivergenceRow", description: "Capacity and demand of one network" })
export interface DivergenceRow extends Schema.Schema.Type<typeof DivergenceRow> {}

const Reason = Schema.Struct({ symbol: described.symbol, reason: textField("Why there is no row") }).annotate(
  {
    identifier: "DivergenceGap",
    description: "A network without a row"
  }
)

export const DivergenceView = Schema.Struct({
  ...head,
  n_networks: natural("Networks with a row"),
  n_diverging: natural("Rows whose sides moved apart by at least 10 percentage points"),
  rows: Schema.Array(DivergenceRow).annotate({ description: "The largest divergence first" }),
  withheld: Schema.Array(Reason).annotate({ description: "Left out as implausible" }),
  missing: Schema.Array(Reason).annotate({
    description: "Networks with a capacity series and no comparable demand"
  }),
  n_unmeasured: natural("Networks without any capacity series")
}).annotate({ identifier: "Divergence", description: "Where capacity and demand move apart" })
export interface DivergenceView extends Schema.Schema.Type<typeof DivergenceView> {}

export default define({
  key: "divergence",
  title: "Divergence",
  schema: DivergenceView,
  view: {
    path: "/v1/divergence",
    title: "Where capacity and demand move apart",
    capability: "divergence",
    section: "Comparisons"
  }
})
