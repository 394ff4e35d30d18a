/** `dilution_risk_map`: fully diluted valuation over market capitalisation, in five classes. */
import { Schema } from "effect"
import { described } from "../../wire/data/valueRow.ts"
import { figure, head, inputs, missing, textField } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const DilutionClass = Schema.Literals(["EXTREME", "HIGH", "ELEVATED", "LOW", "MINIMAL"])
export type DilutionClass = typeof DilutionClass.Type

export const DilutionRow = Schema.Struct({
  symbol: described.symbol,
  fdv_to_market_cap: figure("fully_diluted_valuation_usd / market_cap_usd; null if it cannot be computed"),
  dilution_class: Schema.NullOr(DilutionClass).annotate({
    description: "The class of the ratio; null if the ratio is null or below every bound"
  }),
  fully_diluted_valuation_usd: figure("In US dollars; null if not measured"),
  market_cap_usd: figure("In US dollars; null if not measured"),
  note: Schema.optionalKey(textField("Why a figure is withheld even though its inputs are measured")),
  missing_fields: missing,
  inputs
}).annotate({ identifier: "DilutionRow", description: "Potential dilution of one network" })
export interface DilutionRow extends Schema.Schema.Type<typeof DilutionRow> {}

export const DilutionRisk = Schema.Struct({
  ...head,
  class_bounds: Schema.Record(Schema.String, Schema.Finite).annotate({
    description: "Lowest ratio of each class"
  }),
  class_counts: Schema.Record(Schema.String, Schema.Natural).annotate({
    description: "Number of networks in each class"
  }),
  networks: Schema.Array(DilutionRow).annotate({
    description: "Networks with at least one measured input, sorted by symbol"
  })
}).annotate({ identifier: "DilutionRisk", description: "FDV over market capitalisation" })
export interface DilutionRisk extends Schema.Schema.Type<typeof DilutionRisk> {}

export default define({
  key: "dilution_risk_map",
  title: "Dilution risk map",
  schema: DilutionRisk,
  sale: {
    content: "FDV/MC ratio per network in five classes",
    free: "Free: both figures of all networks at /v1/market. Sold: their ratio and its class.",
    price: "4.99",
    perRequest: true,
    perQuery: true
  },
  view: {
    path: "/v1/dilution-risk",
    title: "FDV to market cap, by class",
    capability: "engines",
    section: "Engines"
  }
})
