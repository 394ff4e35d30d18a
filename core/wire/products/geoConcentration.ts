/** `geo_concentration`: where the nodes of each network stand, and how concentrated that is. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"
import { figure, head, Input, natural, share, words } from "./payload.ts"

export const CountryShare = Schema.Struct({
  country: words("ISO 3166-1 alpha-2 code; `other` takes names that are none, and nodes without a country"),
  nodes: Schema.Finite.annotate({ description: "Nodes there" }),
  node_share: share("Share of the network's nodes with a country"),
  input: Input
}).annotate({ identifier: "CountryShare", description: "One country" })

export const GeoRow = Schema.Struct({
  symbol: described.symbol,
  n_countries: natural("Countries with a node"),
  hhi: figure("Herfindahl-Hirschman index over the countries: 10,000 is one country alone"),
  effective_countries: figure("10,000 / hhi"),
  top_country: Schema.NullOr(words("The country with the most nodes")).annotate({
    description: "The country with the most nodes; null where none has any"
  }),
  top_share: share("Its share"),
  n_without_country: figure(
    "Nodes that the upstream places in no country we know; null where it tells of none"
  ),
  countries: Schema.Array(CountryShare).annotate({ description: "Countries, most nodes first" })
}).annotate({ identifier: "GeoRow", description: "The places of one network" })
export interface GeoRow extends Schema.Schema.Type<typeof GeoRow> {}

export const GeoConcentration = Schema.Struct({
  ...head,
  networks: Schema.Array(GeoRow).annotate({
    description: "Networks whose upstream tells countries, sorted by symbol"
  }),
  n_unmeasured: natural("Networks of the catalog whose nodes are placed by no upstream"),
  missing_fields: Schema.Array(Schema.String).annotate({
    description: "The metrics that those networks lack"
  })
}).annotate({ identifier: "GeoConcentration", description: "Geographic distribution" })
export interface GeoConcentration extends Schema.Schema.Type<typeof GeoConcentration> {}
