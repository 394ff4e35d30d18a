/** `node_quality_score`: node counts weighted by the share of active nodes. */
import { Schema } from "effect"
import { described } from "../../wire/data/valueRow.ts"
import { figure, head, inputs, missing, share, textField } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const NodeQualityRow = Schema.Struct({
  symbol: described.symbol,
  raw_metric: textField("The metric that counts all nodes"),
  active_metric: textField("The metric that counts the active nodes"),
  raw_nodes: figure("All nodes; null if not measured"),
  active_nodes: figure("Active nodes; null if not measured"),
  active_ratio: share("active_nodes / raw_nodes; null if either is not measured or raw_nodes is 0"),
  quality_adjusted_nodes: figure("raw_nodes × active_ratio; null if the ratio is null"),
  note: Schema.optionalKey(textField("Why a figure is withheld even though its inputs are measured")),
  missing_fields: missing,
  inputs
}).annotate({ identifier: "NodeQualityRow", description: "The nodes of one network" })
export interface NodeQualityRow extends Schema.Schema.Type<typeof NodeQualityRow> {}

export const NodeQuality = Schema.Struct({
  ...head,
  networks: Schema.Array(NodeQualityRow).annotate({
    description: "Networks with at least one measured count, sorted by symbol"
  })
}).annotate({ identifier: "NodeQuality", description: "Quality-adjusted node counts" })
export interface NodeQuality extends Schema.Schema.Type<typeof NodeQuality> {}

export default define({
  key: "node_quality_score",
  title: "Node quality score",
  schema: NodeQuality,
  sale: {
    content: "Quality-adjusted node count (raw node count times active/raw) with methodology",
    free: "Free: each count at /v1/network/{symbol}. Sold: all networks, and their ratios.",
    price: "4.99",
    perRequest: true,
    perQuery: true
  },
  view: {
    path: "/v1/node-quality",
    title: "Quality-adjusted node counts",
    capability: "engines",
    section: "Engines"
  }
})
