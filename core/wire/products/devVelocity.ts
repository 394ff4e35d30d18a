/** `dev_velocity`: what happens in the repositories of each network. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"
import { figure, head, inputs, missing, natural } from "./payload.ts"

export const DevVelocityRow = Schema.Struct({
  symbol: described.symbol,
  stars: figure("Stars of the network's own repositories"),
  forks: figure("Forks of them"),
  open_issues: figure("Open issues, open pull requests included"),
  days_since_push: figure("Whole days since the newest push to any of them"),
  repositories: figure("Repositories of the organisation; null where the catalog names one repository"),
  watchers: figure("Watchers; null where the catalog names an organisation"),
  status: Schema.NullOr(Schema.Literals(["active", "dormant"])).annotate({
    description: "Null where days_since_push is not measured"
  }),
  missing_fields: missing,
  inputs
}).annotate({ identifier: "DevVelocityRow", description: "Repository activity of one network" })
export interface DevVelocityRow extends Schema.Schema.Type<typeof DevVelocityRow> {}

export const DevVelocity = Schema.Struct({
  ...head,
  dormant_after_days: natural("Days since the newest push from which a network is dormant"),
  n_active: natural("Networks that are active"),
  n_dormant: natural("Networks that are dormant"),
  networks: Schema.Array(DevVelocityRow).annotate({
    description: "Networks with any of the figures, sorted by symbol"
  })
}).annotate({ identifier: "DevVelocity", description: "Repository activity" })
export interface DevVelocity extends Schema.Schema.Type<typeof DevVelocity> {}
