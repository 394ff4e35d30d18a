/** `sector_health_index`: a composite of four measured components for each category. */
import { Schema } from "effect"
import { Category } from "../../plugin/kinds.ts"
import { described } from "../data/valueRow.ts"
import { figure, head, Input, missing, natural, share } from "./payload.ts"

export const SectorComponent = Schema.Struct({
  name: Schema.Literals(["telemetry_coverage", "freshness", "development", "market_breadth"]).annotate({
    description: "The component; the methodology says how it is computed"
  }),
  weight: Schema.Finite.annotate({ description: "Its weight in the index; the weights sum to 1" }),
  value: share("The component; null where nothing it needs is measured"),
  n: natural("Networks or series that it was computed over")
}).annotate({ identifier: "SectorComponent", description: "One component of the index" })

export const SectorRow = Schema.Struct({
  category: Category.annotate({ description: "What the networks offer" }),
  health_index: figure("100 × the weighted sum of the components; null where one is missing"),
  components: Schema.Array(SectorComponent).annotate({ description: "The four components" }),
  n_networks: natural("Networks of the category"),
  missing_fields: missing,
  inputs: Schema.Array(
    Schema.Struct({ symbol: described.symbol, ...Input.fields }).annotate({
      identifier: "SectorInput",
      description: "A measured value of one network"
    })
  ).annotate({ description: "Values of development and market_breadth, each with source, time and address" })
}).annotate({ identifier: "SectorRow", description: "The health of one category" })
export interface SectorRow extends Schema.Schema.Type<typeof SectorRow> {}

export const SectorHealth = Schema.Struct({
  ...head,
  component_weights: Schema.Record(Schema.String, Schema.Finite).annotate({
    description: "Component to its weight"
  }),
  categories: Schema.Array(SectorRow).annotate({ description: "Categories, sorted by name" })
}).annotate({ identifier: "SectorHealth", description: "Composite health by category" })
export interface SectorHealth extends Schema.Schema.Type<typeof SectorHealth> {}
