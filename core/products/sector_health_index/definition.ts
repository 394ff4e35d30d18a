/** `sector_health_index`: a composite of four measured components per category. */
import { Schema } from "effect"
import { Category } from "../../plugin/kinds.ts"
import { described } from "../../wire/data/valueRow.ts"
import { figure, head, Input, missing, natural, share } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const SectorComponent = Schema.Struct({
  name: Schema.Literals(["telemetry_coverage", "freshness", "development", "market_breadth"]).annotate({
    description: "Name of the component; the methodology defines it"
  }),
  weight: Schema.Finite.annotate({ description: "Weight in the index; the weights sum to 1" }),
  value: share("Value of the component; null if none of its inputs are measured"),
  n: natural("Networks or series it was computed over")
}).annotate({ identifier: "SectorComponent", description: "One component of the index" })

export const SectorRow = Schema.Struct({
  category: Category.annotate({ description: "What the networks offer" }),
  health_index: figure("100 × the weighted sum of the components; null if any is missing"),
  components: Schema.Array(SectorComponent).annotate({ description: "The four components" }),
  n_networks: natural("Networks in the category"),
  missing_fields: missing,
  inputs: Schema.Array(
    Schema.Struct({ symbol: described.symbol, ...Input.fields }).annotate({
      identifier: "SectorInput",
      description: "A measured value of one network"
    })
  ).annotate({
    description: "Values behind development and market_breadth, each with its source, time and URL"
  })
}).annotate({ identifier: "SectorRow", description: "The health of one category" })
export interface SectorRow extends Schema.Schema.Type<typeof SectorRow> {}

export const SectorHealth = Schema.Struct({
  ...head,
  component_weights: Schema.Record(Schema.String, Schema.Finite).annotate({
    description: "Weight of each component"
  }),
  categories: Schema.Array(SectorRow).annotate({ description: "Categories, sorted by name" })
}).annotate({ identifier: "SectorHealth", description: "Composite health by category" })
export interface SectorHealth extends Schema.Schema.Type<typeof SectorHealth> {}

export default define({
  key: "sector_health_index",
  title: "Sector health index",
  schema: SectorHealth,
  sale: {
    content: "Composite health per category with component weights",
    free: "Free: each input at /v1/network/{symbol}. Sold: the index made of them.",
    price: "4.99",
    perRequest: true,
    perQuery: true
  },
  view: {
    path: "/v1/sector-health",
    title: "Composite health by category",
    capability: "engines",
    section: "Engines"
  }
})
