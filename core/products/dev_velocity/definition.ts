/** `dev_velocity`: activity in each network's repositories. */
import { Schema } from "effect"
import { described } from "../../wire/data/valueRow.ts"
import { figure, head, inputs, missing, natural } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const DevVelocityRow = Schema.Struct({
  symbol: described.symbol,
  stars: figure("Stars of the network's own repositories"),
  forks: figure("Forks of those repositories"),
  open_issues: figure("Open issues, including open pull requests"),
  days_since_push: figure("Whole days since the latest push to any of them"),
  repositories: figure("Repositories of the organisation; null if the catalog names a single repository"),
  watchers: figure("Watchers; null if the catalog names an organisation"),
  status: Schema.NullOr(Schema.Literals(["active", "dormant"])).annotate({
    description: "Null if days_since_push is not measured"
  }),
  missing_fields: missing,
  inputs
}).annotate({ identifier: "DevVelocityRow", description: "Repository activity of one network" })
export interface DevVelocityRow extends Schema.Schema.Type<typeof DevVelocityRow> {}

export const DevVelocity = Schema.Struct({
  ...head,
  dormant_after_days: natural("Days without a push after which a network counts as dormant"),
  n_active: natural("Active networks"),
  n_dormant: natural("Dormant networks"),
  networks: Schema.Array(DevVelocityRow).annotate({
    description: "Networks with at least one of the figures, sorted by symbol"
  })
}).annotate({ identifier: "DevVelocity", description: "Repository activity" })
export interface DevVelocity extends Schema.Schema.Type<typeof DevVelocity> {}

export default define({
  key: "dev_velocity",
  title: "Dev velocity",
  schema: DevVelocity,
  sale: {
    content: "Repository activity: stars, forks, issues, days since push, active versus dormant",
    free: "Free: each count at /v1/network/{symbol}, all at /networks/data.csv. Sold: them in JSON, with activity.",
    price: "4.99",
    perQuery: true
  },
  view: {
    path: "/v1/dev-velocity",
    title: "Repository activity",
    capability: "engines",
    section: "Engines"
  }
})
