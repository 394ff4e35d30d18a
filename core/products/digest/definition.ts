/** `/v1/digest`: the daily digest. */
import { Schema } from "effect"
import { figure, head, natural, textField } from "../../wire/products/payload.ts"
import { ChangeRow } from "../changes/definition.ts"
import { define } from "../definition.ts"

export const Digest = Schema.Struct({
  ...head,
  n_networks: natural("Networks with a live value"),
  n_series: natural("Live series"),
  movers: Schema.Array(ChangeRow).annotate({ description: "The ten largest daily changes" }),
  dilution_classes: Schema.Record(Schema.String, Schema.Natural).annotate({
    description: "Number of networks in each dilution class"
  }),
  sector_health: Schema.Array(
    Schema.Struct({ category: textField("The category"), health_index: figure("0 to 100; null if withheld") })
  ).annotate({ description: "Health index of each category" }),
  development: Schema.Struct({
    n_active: natural("Networks with a push within 90 days"),
    n_dormant: natural("Networks without one")
  }).annotate({ description: "Repository activity" })
}).annotate({ identifier: "Digest", description: "The daily digest" })
export interface Digest extends Schema.Schema.Type<typeof Digest> {}

export default define({
  key: "digest",
  title: "Digest",
  schema: Digest,
  view: {
    path: "/v1/digest",
    title: "Daily digest",
    capability: "cross_network",
    section: "Comparisons"
  }
})
